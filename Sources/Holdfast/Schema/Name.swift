/// Rules for the names of collections, fields and indexes, and for physical names made from them.
public enum Name {
  /// The longest name, in UTF-8 bytes.
  public static let maximumLength = 128

  /// Checks a name: 1 to 128 UTF-8 bytes without control characters.
  ///
  /// - Throws: ``StorageError/Code/invalidName``.
  public static func validate(_ name: String, of what: String) throws(StorageError) {
    let count = name.utf8.count
    guard count >= 1, count <= maximumLength else {
      throw StorageError(
        .invalidName,
        "the name of a \(what) must have 1 to 128 bytes, not \(count)"
      )
    }
    for scalar in name.unicodeScalars where isControl(scalar) {
      throw StorageError(
        .invalidName,
        "the name of a \(what) holds the control character U+\(hex(scalar.value)); remove it"
      )
    }
  }

  /// Whether a scalar is of the general category Cc, which no version of Unicode adds to.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// The name with ASCII letters in lower case: names that fold alike cannot coexist.
  public static func folded(_ name: String) -> String {
    if !name.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) { return name }
    return String(
      decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 },
      as: UTF8.self
    )
  }

  /// A physical name that is safe in a path or as a table: the person's own name where it is safe,
  /// else a short slug with a hash of the full name.
  ///
  /// - Parameters:
  ///   - name: the logical name.
  ///   - isTaken: whether the engine refuses that name (reserved, or in use). Asked with names of
  ///     ASCII letters, digits, `_`, `-` only, at most 64 bytes.
  /// - Returns: the name itself or its slug; never one that is taken.
  public static func physical(_ name: String, isTaken: (String) -> Bool) -> String {
    let isPlain =
      name.utf8.count <= 64
      && name.utf8.allSatisfy { byte in
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5A)
          || (byte >= 0x61 && byte <= 0x7A) || byte == 0x5F || byte == 0x2D
      } && name.utf8.first != 0x2D
    if isPlain, !isTaken(name) { return name }
    var slug = ""
    for byte in name.utf8 where slug.utf8.count < 24 {
      let isSafe =
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5A)
        || (byte >= 0x61 && byte <= 0x7A)
      if isSafe {
        slug.unicodeScalars.append(Unicode.Scalar(byte))
      } else if slug.last != "_" {
        slug += "_"
      }
    }
    if slug.isEmpty || slug.first == "_" { slug = "n" + slug }
    var attempt = 0
    while true {
      let candidate = "\(slug)_\(hex(FNV.hash(name, seed: attempt)))"
      if !isTaken(candidate) { return candidate }
      // An engine may reserve everything that begins alike (`sqlite_`), whatever the hash.
      if attempt == 0 { slug = "n_" + slug }
      attempt += 1
    }
  }

  static func hex(_ value: some FixedWidthInteger & UnsignedInteger) -> String {
    let digits = String(value, radix: 16, uppercase: value is UInt32)
    let width = value is UInt32 ? 4 : 16
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo), for names and checks that need no cryptography.
enum FNV {
  static func hash(_ text: String, seed: Int = 0) -> UInt64 { hash(text.utf8, seed: seed) }

  static func hash(_ bytes: some Sequence<UInt8>, seed: Int = 0) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 &+ UInt64(truncatingIfNeeded: seed)
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
