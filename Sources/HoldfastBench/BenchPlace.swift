import Foundation
import Holdfast
import HoldfastBackends

/// A folder with a pair of stores, ours and the floor's.
struct BenchPlace {
  private let folder: URL
  private let backend: String
  private let durability: StorageOptions.Durability

  init(_ parent: URL, _ backend: String, _ durability: StorageOptions.Durability) throws {
    folder = parent.appendingPathComponent("bench-\(backend)-\(UUID().uuidString)")
    self.backend = backend
    self.durability = durability
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The path of something in the folder.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The URL of a store of ours, in the folder.
  func url(_ name: String = "ours") -> String {
    "\(backend):\(path(name))?durability=\(durability.rawValue)"
  }

  /// Opens one side's store, or makes it.
  func open(_ side: Side) throws -> any BenchSubject {
    switch side {
    case .ours: try HoldfastSubject(Backends.open(url()))
    case .floor: try floor()
    }
  }

  /// Opens the floor's store, or makes it.
  func floor() throws -> any BenchFloor {
    let path = path("floor")
    switch backend {
    case "sqlite": return try SQLiteFloor(path: path, durability: durability)
    case "lmdb": return try LMDBFloor(path: path, durability: durability)
    case "json", "plist":
      return try ArchiveFloor(
        path: path,
        isPropertyList: backend == "plist",
        durability: durability
      )
    default: throw FloorError(description: "no floor for \(backend)")
    }
  }

  /// How much of the disk a side's closed store takes.
  func size(of side: Side) -> Int64 {
    DiskUsage.bytes(at: path(side == .ours ? "ours" : "floor"))
  }

  /// Removes what is in the folder, for the next round of a workload that starts empty.
  func clear() throws {
    let files = FileManager.default
    for name in try files.contentsOfDirectory(atPath: folder.path) {
      try files.removeItem(at: folder.appendingPathComponent(name))
    }
  }

  /// Removes the folder.
  func remove() {
    // Temporary files that cannot be removed are no finding about the backend.
    _ = Result { try FileManager.default.removeItem(at: folder) }
  }
}
