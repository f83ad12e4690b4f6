import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Paths as they are compared: which place two of them lead to.
enum PathText {
  /// The path without slashes at its end.
  static func withoutSlash(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// The path without links; of what is not there yet, from the nearest folder that is.
  static func resolved(_ path: String) -> String {
    if let found = realpath(path, nil) {
      defer { free(found) }
      return String(cString: found)
    }
    let path = withoutSlash(path)
    // The root is always there.
    guard path != "/" else { return path }
    let folder = resolved(parent(of: path))
    return folder == "/" ? "/" + name(of: path) : folder + "/" + name(of: path)
  }

  /// The folder that a path without slashes at its end is in.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : withoutSlash(String(path[..<slash]))
  }

  /// The last part of a path without slashes at its end.
  static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}

extension StorageURL {
  /// Checks that a copy of another store can be made here.
  ///
  /// - Throws: `StorageError.Code.alreadyExists` if both are one place, or this one lies inside the
  ///   other or is a file of it.
  func checkApart(from source: StorageURL) throws(StorageError) {
    if scheme == .memory || source.scheme == .memory {
      guard scheme == source.scheme, path == source.path, !path.isEmpty else { return }
      throw StorageError(.alreadyExists, "both are the store \(self); use another one")
    }
    let (mine, other) = (PathText.resolved(path), PathText.resolved(source.path))
    let sideFiles = ["-wal", "-shm", "-journal"].map { other + $0 }
    if mine == other {
      throw StorageError(
        .alreadyExists,
        "\(path) and \(source.path) are the same place; choose another one"
      )
    }
    if mine.hasPrefix(other + "/") || source.scheme == .sqlite && sideFiles.contains(mine) {
      throw StorageError(
        .alreadyExists,
        "\(path) belongs to the store \(source); choose a place outside of it"
      )
    }
  }
}
