/// The ends of a scan as encoded keys: from `lower` on, and below `upper`.
struct ScanBounds {
  let lower: ByteBuffer?
  let upper: ByteBuffer?

  init(_ scan: Scan) {
    lower = scan.lower.map { Self.encode($0, isBehind: !$0.isInclusive) }
    upper = scan.upper.map { Self.encode($0, isBehind: $0.isInclusive) }
  }

  private static func encode(_ bound: Scan.Bound, isBehind: Bool) -> ByteBuffer {
    let buffer = ByteBuffer()
    for value in bound.values { KeyCoding.append(value, to: buffer) }
    if isBehind { buffer.append(KeyCoding.rangeEnd) }
    return buffer
  }

  /// Whether a key is in range, for a walk that began inside and looks at one end only.
  @inline(__always)
  func contains(_ key: UnsafeRawBufferPointer, isReversed: Bool) -> Bool {
    if isReversed {
      guard let lower else { return true }
      return Bytes.compare(key, lower.bytes) >= 0
    }
    guard let upper else { return true }
    return Bytes.compare(key, upper.bytes) < 0
  }

  /// Whether a key is in range.
  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    contains(key, isReversed: true) && contains(key, isReversed: false)
  }

  /// Whether keys that share their first `length` bytes with `key` may still be in range.
  func reaches(_ key: UnsafeRawBufferPointer, _ length: Int, isReversed: Bool) -> Bool {
    let prefix = UnsafeRawBufferPointer(rebasing: key[..<length])
    guard let end = isReversed ? lower : upper else { return true }
    let order = Bytes.compare(prefix, end.bytes(upTo: min(length, end.count)))
    return isReversed ? order >= 0 : order <= 0
  }
}

/// Index entries that share all that is stored of them in order, sorted by their full bytes.
struct EntryGroup {
  struct Entry {
    var full: [UInt8]
    var keyStart: Int

    func withBytes<T>(
      _ body: (UnsafeRawBufferPointer, Int) throws(StorageError) -> T
    ) throws(StorageError) -> T {
      try full.withUnsafeBufferPointer { (bytes) throws(StorageError) in
        try body(UnsafeRawBufferPointer(bytes), keyStart)
      }
    }
  }

  private var entries: [Entry] = []
  private var position = 0

  var isEmpty: Bool { position == entries.count }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    position = 0
  }

  mutating func append(_ values: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) {
    var full: [UInt8] = []
    full.reserveCapacity(values.count + key.count)
    full.append(contentsOf: values)
    full.append(contentsOf: key)
    entries.append(Entry(full: full, keyStart: values.count))
  }

  mutating func sort(isReversed: Bool) {
    if entries.count < 2 { return }
    entries.sort { left, right in
      let order = left.full.withUnsafeBytes { left in
        right.full.withUnsafeBytes { Bytes.compare(left, $0) }
      }
      return isReversed ? order > 0 : order < 0
    }
  }

  mutating func next() -> Entry? {
    guard position < entries.count else { return nil }
    defer { position += 1 }
    return entries[position]
  }
}
