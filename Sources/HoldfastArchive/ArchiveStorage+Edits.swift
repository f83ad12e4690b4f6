import Holdfast

extension ArchiveStorage {
  /// Checks that the file of a collection still has the content that memory goes back to, and that
  /// nobody has put one where it is to be.
  ///
  /// Costs one look at its stamp as a rule; the file is read only if that has changed.
  /// - Throws: `StorageError.Code.conflict`.
  func checkUnedited(_ id: Int, _ state: inout ArchiveState) throws(StorageError) {
    guard let file = state.files[id] else { return }
    if let content = file.onDisk {
      guard let found = try checkUnedited(content) else { throw edited(content) }
      if found.stamp != content.stamp { state.files[id]?.onDisk = found }
      if content.name == file.target { return }
    }
    // The place may be that of a collection that was dropped.
    if let obsolete = state.obsolete.first(where: { $0.name == file.target }) {
      _ = try checkUnedited(obsolete)
      return
    }
    let path = folder.records(file.target, state.encoding)
    if try FileStamp.of(path) != nil {
      throw StorageError(
        .conflict,
        "\(path) is in the place of a collection's file; move it away, then open the store again",
        backend: format.backend
      )
    }
  }

  /// Checks that a file has the content that it had.
  ///
  /// - Returns: the content with a stamp; nil if the file is not there any more.
  func checkUnedited(
    _ content: ArchiveState.RecordContent
  ) throws(StorageError) -> ArchiveState.RecordContent? {
    if let stamp = content.stamp, try FileStamp.of(content.path) == stamp { return content }
    guard let found = try FileBytes.read(content.path) else { return nil }
    guard FileDigest(hash: found.hash, size: found.bytes.count) == content.digest else {
      throw edited(content)
    }
    var content = content
    content.stamp = found.stamp
    return content
  }

  private func edited(_ content: ArchiveState.RecordContent) -> StorageError {
    StorageError(
      .conflict,
      "\(content.path) was edited by hand while the store was open; put back the "
        + "file as it was, close the store, then edit it again",
      backend: format.backend
    )
  }
}
