import Holdfast

/// What a file may hold once it is read: bounds that hold before any type is decoded.
///
/// A binary property list can refer to one long text many times, so the bytes of texts are counted as
/// they are read.
struct ObjectBudget {
  /// The deepest nesting of a graph; what is deeper would exhaust the stack of a small thread.
  static let maximumDepth = 64
  /// The deepest nesting of a file, which has a level more around the graph.
  static let maximumFileDepth = maximumDepth + 1

  private var bytesLeft: Int

  init(bytes: Int) { bytesLeft = bytes }

  /// Counts the bytes of a text, a key or data.
  mutating func take(_ count: Int) throws(StorageError) {
    bytesLeft -= count
    if bytesLeft < 0 {
      throw StorageError(.malformedInput, "its texts take more memory than the largest file may")
    }
  }

  /// Checks the depth of a container.
  static func check(depth: Int) throws(StorageError) {
    if depth > maximumFileDepth {
      throw StorageError(.malformedInput, "it nests more than \(maximumDepth) levels")
    }
  }
}
