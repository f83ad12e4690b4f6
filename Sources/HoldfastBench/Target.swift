/// What each workload aims at; `docs/Performance.md` has the same table.
enum Target {
  /// The ratio to the floor that is aimed at.
  static func ratio(_ backend: String, _ workload: String) -> Double? {
    switch backend {
    case "sqlite": engine[workload] ?? sqlite[workload]
    case "lmdb": engine[workload] ?? lmdb[workload]
    default: archive[workload]
    }
  }

  /// The time that is aimed at instead, in microseconds.
  static func time(_ backend: String, _ workload: String) -> Double? {
    ["json", "plist"].contains(backend) && workload == "get" ? 1 : nil
  }

  private static let engine = [
    "commit-normal": 1.2, "commit-full": 1.2, "open": 2, "import": 1.5, "copy": 1.5,
  ]
  private static let sqlite = [
    "bulk-insert": 1.2, "get": 1.2, "get-each": 1.2, "scan": 1.12, "index-top20": 1.2,
  ]
  private static let lmdb = [
    "bulk-insert": 1.4, "get": 1.4, "get-each": 1.4, "scan": 1.4, "index-top20": 1.3,
  ]
  private static let archive = [
    "bulk-insert": 1, "scan": 1, "index-top20": 1, "commit-normal": 1.5, "commit-full": 1.5,
    "open": 1.3,
  ]
}
