import Holdfast

/// A step that brings the graph of one version of the application to the next.
///
/// ```swift
/// let upgrades = [
///   ObjectUpgrade(from: 1) { (old: NotebookV1) in NotebookV2(title: old.name, pages: old.pages) },
///   ObjectUpgrade(from: 2, raw: { $0["colour"] = "blue" }),
/// ]
/// ```
public struct ObjectUpgrade: Sendable {
  /// The version that the step takes; it gives the next one.
  public let version: Int
  let apply: @Sendable (ObjectValue) throws -> ObjectValue

  /// A step between two types: that of the old version, kept for this, and one that encodes as the next
  /// version does.
  public init<Old: Decodable & Sendable, New: Encodable & Sendable>(
    from version: Int,
    _ upgrade: @escaping @Sendable (Old) throws -> New
  ) {
    self.version = version
    apply = { try ObjectEncoder.encode(try upgrade(try ObjectDecoder.decode(Old.self, from: $0))) }
  }

  /// A step on the value as it stands in the file.
  public init(
    from version: Int,
    raw upgrade: @escaping @Sendable (inout ObjectValue) throws -> Void
  ) {
    self.version = version
    apply = { value in
      var value = value
      try upgrade(&value)
      return value
    }
  }
}
