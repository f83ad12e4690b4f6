/// The last 32 bytes of a binary property list: where its objects are.
struct BinaryPropertyListTrailer {
  /// The bytes of an offset in the table.
  let offsetSize: Int
  /// The bytes of a reference in a container.
  let referenceSize: Int
  /// The number of objects.
  let count: Int
  /// The number of the outermost object.
  let root: Int
  /// Where the table of offsets begins.
  let table: Int

  /// Reads and checks the trailer of a file.
  ///
  /// - Throws: ``StorageError/Code/malformedInput``.
  init(_ file: UnsafeRawBufferPointer) throws(StorageError) {
    let trailer = file.count - 32
    guard trailer >= 9, file[7] == 0x30 else {
      throw StorageError(
        .malformedInput,
        "not a property list: the binary file has no trailer or another version"
      )
    }
    func read(_ start: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in start..<start + 8 { value = value << 8 | UInt64(file[index]) }
      return value
    }
    offsetSize = Int(file[trailer + 6])
    referenceSize = Int(file[trailer + 7])
    let count = read(trailer + 8)
    let root = read(trailer + 16)
    let table = read(trailer + 24)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0, root < count,
      table >= 9, table <= UInt64(trailer),
      count <= (UInt64(trailer) - table) / UInt64(offsetSize)
    else {
      throw StorageError(
        .malformedInput,
        "not a property list: the trailer of the binary file makes no sense"
      )
    }
    self.count = Int(count)
    self.root = Int(root)
    self.table = Int(table)
  }
}
