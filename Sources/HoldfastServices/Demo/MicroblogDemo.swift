import Foundation
import Holdfast

/// Users and statuses: adds, pages, modifies, removes.
struct MicroblogDemo {
  let print: (String) -> Void

  private static let users = [
    User(
      name: "lin",
      screenName: "林语",
      profileImageURL: URL(string: "https://img.test/lin.png"),
      membership: 2,
      city: "北京",
      description: "爱吃; 爱写 -- 100% 真心"
    ),
    User(name: "amal", screenName: "أمل", city: "القاهرة", description: "قارئة"),
    User(name: "o'brien", screenName: "Pat O'Brien", membership: 0, description: "\"quoted\""),
    User(name: "lin", screenName: "Lin the second"),
    User(name: "zoë", screenName: "Zoë 🧑‍🚀", city: "Zürich", description: ""),
  ]

  /// The writer's place among the users, the source, minutes after noon, the text.
  private static let statuses: [(Int, String, Double, String)] = [
    (0, "iPhone", 0, "今天的番茄很甜🍅"),
    (1, "Android", 1.5, "صباح الخير يا عالم"),
    (2, "weblog", 3, "It's 5 o'clock; DROP TABLE status; --"),
    (0, "", 4.25, "100% sure, 50_50, \\ and \"quotes\""),
    (4, "iPad", 60, "🏳️‍🌈👩‍👩‍👧‍👦 é vs é"),
    (1, "Android", 61, ""),
    (4, "iPad", 90, String(repeating: "长文 long text ", count: 40)),
  ]

  func run(on store: Store) throws {
    let microblog = try Microblog.open(store)
    print("microblog: \(microblog.opening)")
    if try microblog.users.list().isEmpty { try fill(microblog) }
    try show(microblog)
    try change(microblog)
  }

  /// All sample records, in one transaction.
  private func fill(_ microblog: Microblog) throws {
    let noon = Date(timeIntervalSinceReferenceDate: 788_961_600)  // 2026-01-01 12:00 UTC
    try microblog.users.store.write { transaction in
      let ids = try Self.users.map { try microblog.users.add($0, in: transaction).id }
      for (user, source, minutes, text) in Self.statuses {
        guard let id = ids[user] else { continue }
        let status = Status(
          user: id,
          source: source,
          createdAt: noon + minutes * 60,
          text: text
        )
        try microblog.statuses.add(status, in: transaction)
      }
    }
    print("added \(Self.users.count) users and \(Self.statuses.count) statuses")
  }

  private func show(_ microblog: Microblog) throws {
    print("users:")
    for user in try microblog.users.list() {
      print("  \(user.id ?? 0) \(user.name) (\(user.screenName)), \(user.city ?? "no city")")
    }
    print("statuses, newest first, three a page:")
    var last: Int64?
    while true {
      let page = try microblog.statuses.page(after: last, count: 3)
      for entry in page { print("  \(describe(entry))") }
      guard page.count == 3, let id = page.last?.status.id else { break }
      print("  --")
      last = id
    }
    print("newer than 5:")
    for entry in try microblog.statuses.newer(than: 5, count: 10) {
      print("  \(describe(entry))")
    }
  }

  private func describe(_ entry: StatusEntry) -> String {
    let status = entry.status
    let label = status.sourceLabel.isEmpty ? "" : ", \(status.sourceLabel)"
    let time = (DateCoding.encode(status.createdAt) ?? "").prefix(19)
    return "\(status.id ?? 0) \(entry.user.screenName) at \(time)\(label): "
      + DemoText.line(status.text)
  }

  private func change(_ microblog: Microblog) throws {
    let users = microblog.users
    guard let lin = try users.find(named: "lin"), let id = lin.id else {
      throw StorageError(.notFound, "the user lin is gone; run the demo on a new store")
    }
    print("the first lin is \(id)")
    let modified = try users.modify(id, UserChanges(city: .set("上海")))
    print("lin moved to \(modified.city ?? "nowhere"), still \(modified.description ?? "")")
    _ = try users.modify(id, UserChanges(city: .set(lin.city)))
    print("removing lin: \(try DemoText.refusal { try users.remove(id) })")
    try users.add(User(name: "guest", screenName: "one"))
    try users.add(User(name: "guest", screenName: "two"))
    print("removed \(try users.remove(named: "guest")) guests")
    print("modifying a guest: \(try DemoText.refusal { try users.modify(0, UserChanges()) })")
  }
}
