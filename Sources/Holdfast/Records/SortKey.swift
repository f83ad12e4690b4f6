/// One property of an order, by key path.
public struct SortKey<M: Model>: Sendable {
  let path: any PartialKeyPath<M> & Sendable
  let isDescending: Bool

  /// Smallest first; null before everything.
  public static func ascending(_ path: any PartialKeyPath<M> & Sendable) -> SortKey {
    SortKey(path: path, isDescending: false)
  }

  /// Largest first; null after everything.
  public static func descending(_ path: any PartialKeyPath<M> & Sendable) -> SortKey {
    SortKey(path: path, isDescending: true)
  }
}
