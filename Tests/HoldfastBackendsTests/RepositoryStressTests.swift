import Dispatch
import Foundation
import Holdfast
import HoldfastBackends
import Synchronization
import Testing

/// Money that is moved about; the total stays.
private struct Account: Model, Equatable {
  static let owners = 10
  static let total = 1000

  var id: Int64
  var owner: String
  var balance: Int
  static let schema = Schema<Account>("account", key: \.id) { Index(\.owner) }
}

private struct Transfer: Model {
  var id: Int64?
  var task: Int
  var from: Int64
  var to: Int64
  static let schema = Schema<Transfer>("transfer", key: \.id) { Unique(\.task) }
}

/// The repositories of a bank, for any number of tasks.
private struct Bank: Sendable {
  let store: Store
  let accounts: Repository<Account>
  let transfers: Repository<Transfer>

  init(_ store: Store) async throws {
    self.store = store
    accounts = Repository(store)
    transfers = Repository(store)
    let first = (0..<Account.owners).map { number in
      Account(
        id: Int64(number),
        owner: "owner \(number % 3)",
        balance: Account.total / Account.owners
      )
    }
    try await accounts.insert(contentsOf: first)
    try await store.write { [transfers] in try transfers.create(in: $0) }
  }

  func transfer(_ task: Int) async throws {
    let (from, to) = (Int64(task % Account.owners), Int64(task / 7 % Account.owners))
    try await store.write { [accounts, transfers] transaction in
      guard var payer = try accounts.get(from, in: transaction) else {
        throw StorageError(.notFound, "an account is missing")
      }
      payer.balance -= 1
      try accounts.update(payer, in: transaction)
      guard var payee = try accounts.get(to, in: transaction) else {
        throw StorageError(.notFound, "an account is missing")
      }
      payee.balance += 1
      try accounts.update(payee, in: transaction)
      try transfers.insert(Transfer(task: task, from: from, to: to), in: transaction)
    }
  }

  /// Looks at a snapshot: whole by query, by index and by figure.
  func check() async throws {
    try await store.read { [accounts, transfers] transaction in
      let all = try accounts.fetch(in: transaction)
      #expect(all.count == Account.owners)
      #expect(all.reduce(0) { $0 + $1.balance } == Account.total)
      var byOwner = 0
      for owner in 0..<3 {
        byOwner += try accounts.fetch(
          where: .equal("owner", .text("owner \(owner)")),
          in: transaction
        )
        .reduce(0) { $0 + $1.balance }
      }
      #expect(byOwner == Account.total)
      let figures = try transaction.aggregate("account", [.sum("balance"), .count])
      #expect(figures == [[.integer(Int64(Account.total)), .integer(Int64(Account.owners))]])
      let tasks = try transfers.fetch(in: transaction).map(\.task)
      #expect(Set(tasks).count == tasks.count)
    }
  }
}

/// An actor that keeps a bank, as applications do.
private actor Teller {
  private let bank: Bank
  private(set) var served: Set<Int> = []

  init(_ bank: Bank) { self.bank = bank }

  func serve(_ task: Int) async throws {
    try await bank.transfer(task)
    served.insert(task)
  }

  func balance(of id: Int64) async throws -> Int? { try await bank.accounts.get(id)?.balance }
}

@MainActor private final class Screen {
  private let accounts: Repository<Account>
  private(set) var shown: [Account] = []

  init(_ bank: Bank) { accounts = bank.accounts }

  func refresh() async throws {
    shown = try await accounts.fetch(sort: [.descending(\.balance)], limit: 3)
  }
}

@Suite("Repositories under many tasks") struct RepositoryStressTests {
  @Test(
    "Five hundred tasks, half of them cancelled: the rest is done, and all is whole",
    arguments: EveryBackend.schemes
  )
  func halfCancelled(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let bank = try await Bank(store)
      let teller = Teller(bank)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<500 {
          group.addTask {
            let task = Task {
              if number % 5 == 4 { return try await bank.check() }
              try await teller.serve(number)
            }
            let isCancelled = number % 2 == 0
            if isCancelled {
              // Some before they began, some while they wait or run.
              if number % 4 == 0 { await Task.yield() }
              task.cancel()
            }
            switch await task.result {
            case .success: break
            case .failure(let error):
              #expect(isCancelled && error is CancellationError, "task \(number): \(error)")
            }
          }
        }
      }
      try await bank.check()
      let done = Set(try await bank.transfers.fetch().map(\.task))
      let served = await teller.served
      #expect(done == served)
      // Nobody cancelled the odd ones.
      for number in stride(from: 1, to: 500, by: 2) where number % 5 != 4 {
        #expect(done.contains(number), "task \(number)")
      }
      let screen = await Screen(bank)
      try await screen.refresh()
      #expect(await screen.shown.count == 3)
      #expect(try await teller.balance(of: 0) != nil)
    }
  }

  @Test("A query that runs stops when its task is cancelled", arguments: EveryBackend.schemes)
  func runningQuery(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let transfers = Repository<Transfer>(store)
      let many = (0..<10_000).map { Transfer(task: $0, from: Int64($0 % 100), to: 0) }
      try await transfers.insert(contentsOf: many)
      let works: [(String, @Sendable (ReadTransaction) throws -> Void)] = [
        ("rows", { _ = try transfers.fetch(in: $0) }),
        ("a filter without an index", { _ = try transfers.fetch(where: .equal("to", 1), in: $0) }),
        ("a sort", { _ = try transfers.fetch(sort: [.descending(\.from)], limit: 1, in: $0) }),
        ("a figure", { _ = try $0.aggregate("transfer", [.sum("from")], groupBy: ["from"]) }),
        ("a count", { _ = try $0.count("transfer", where: .greater("from", 5)) }),
      ]
      for (name, work) in works {
        let started = DispatchSemaphore(value: 0)
        let cancelled = DispatchSemaphore(value: 0)
        let task = Task {
          try await store.read { transaction in
            started.signal()
            cancelled.wait()
            let error = #expect(throws: StorageError.self, "\(name)") { try work(transaction) }
            #expect(error?.code == .cancelled, "\(name)")
            try work(transaction)
          }
        }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
          DispatchQueue.global().async {
            started.wait()
            task.cancel()
            cancelled.signal()
            done.resume()
          }
        }
        guard case .failure(let error) = await task.result else {
          Issue.record("\(name) did not stop")
          continue
        }
        #expect(error is CancellationError, "\(name): \(error)")
      }
      #expect(try await transfers.count() == 10_000)
    }
  }
}
