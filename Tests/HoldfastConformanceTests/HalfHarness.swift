import Holdfast
import HoldfastConformance

/// A harness that cannot open anything.
struct HalfHarness: Harness {
  let base: StoreHarness
  var backend: String { "<half>" }

  func open(_ place: HarnessPlace, options: StorageOptions) throws -> Store {
    throw StorageError(.ioError, "nothing \"opens\" here & <now>")
  }
  func destroy(_ place: HarnessPlace) throws { try base.destroy(place) }
  func place(_ obstacle: HarnessObstacle, at place: HarnessPlace) throws {
    try base.place(obstacle, at: place)
  }
  func leftovers() -> [String] { base.leftovers() }
  func cleanUp() { base.cleanUp() }
}
