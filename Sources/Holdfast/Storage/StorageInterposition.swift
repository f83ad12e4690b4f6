/// What comes between a store and its storage, for tools that watch the calls of one.
package enum StorageInterposition {
  /// Wraps each storage that is opened while it is set; nil, as everywhere but in such tools, leaves
  /// storages as they are.
  @TaskLocal package static var wrap: (@Sendable (any Storage) -> any Storage)?
}
