import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Transactions".
@Suite struct TransactionsArticle {
  struct Account: Model {
    var id: String
    var balance: Int
  }

  struct NotEnough: Error {}

  @Test(arguments: EveryBackend.schemes)
  func `the code of the article does what it says`(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let accounts = Repository<Account>(store)
      let amount = 30
      try await accounts.insert(
        contentsOf: [Account(id: "ada", balance: 100), Account(id: "bo", balance: 0)]
      )

      try await store.write { transaction in
        guard var from = try accounts.get("ada", in: transaction), from.balance >= amount else {
          throw NotEnough()
        }
        guard var to = try accounts.get("bo", in: transaction) else { throw NotEnough() }
        from.balance -= amount
        to.balance += amount
        try accounts.update(from, in: transaction)
        try accounts.update(to, in: transaction)
      }
      let total = try await store.read { transaction in
        try accounts.fetch(in: transaction).reduce(0) { $0 + $1.balance }
      }

      try await store.write { transaction in
        try accounts.put(Account(id: "cy", balance: 1), in: transaction)
        try? transaction.savepoint {
          try accounts.delete("ada", in: transaction)
          throw NotEnough()
        }
      }

      #expect(total == 100)
      #expect(try await accounts.fetch().map(\.balance) == [70, 30, 1])
    }
  }
}
