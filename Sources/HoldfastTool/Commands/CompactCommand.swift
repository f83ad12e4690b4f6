import Holdfast
import HoldfastBackends

extension Command {
  /// Gives space back.
  static let compact = Command(
    "compact",
    "give space that nothing uses back to the system",
    details: "Other writers wait meanwhile; readers go on."
  ) { invocation in try compact(invocation) }

  private static func compact(_ invocation: Invocation) throws {
    let url = try invocation.storeURL(creates: false)
    let before = DiskUsage.bytes(at: url.path)
    try OpenStore.with(url) { try $0.compact() }
    if url.scheme == .memory { return }
    Messages.line("compacted from \(before) to \(DiskUsage.bytes(at: url.path)) bytes")
  }
}
