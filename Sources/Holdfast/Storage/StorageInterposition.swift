/// What comes between a store and its storage, for tools that watch the calls of one.
///
/// An object, since optimized code of Swift 6.3 crashes on a task-local value that is a function.
package final class StorageInterposition: Sendable {
  /// Wraps each storage that is opened while it is set; nil, as everywhere but in such tools, leaves
  /// storages as they are.
  @TaskLocal package static var current: StorageInterposition?

  /// Makes what takes a storage's place.
  package let wrap: @Sendable (any Storage) -> any Storage

  /// Creates an interposition.
  package init(_ wrap: @escaping @Sendable (any Storage) -> any Storage) { self.wrap = wrap }
}
