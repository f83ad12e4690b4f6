/// A borrowed, positional view on one record: field *n* as an integer, real, text, bytes or null.
///
/// Rows travel in this one form in both directions: backends fill it from their cursors, and writers
/// receive it. It is valid until the cursor or buffer that made it moves on or is changed, so never
/// store one; take ``values()`` or ``Record`` for that.
@frozen public struct RowView {
  /// One field of a row.
  @frozen public struct Slot {
    /// The kind of the value.
    public var kind: ValueKind
    /// The integer's or the double's bit pattern; for text and blobs the number of bytes.
    public var bits: UInt64
    /// The first byte of a text or blob; nil for other kinds, and allowed to be nil for no bytes.
    public var pointer: UnsafeRawPointer?

    /// Creates a slot.
    @inlinable public init(kind: ValueKind, bits: UInt64, pointer: UnsafeRawPointer?) {
      self.kind = kind
      self.bits = bits
      self.pointer = pointer
    }

    /// A slot that holds null.
    @inlinable public static var null: Slot { Slot(kind: .null, bits: 0, pointer: nil) }
    /// A slot that holds an integer.
    @inlinable public static func integer(_ value: Int64) -> Slot {
      Slot(kind: .integer, bits: UInt64(bitPattern: value), pointer: nil)
    }
    /// A slot that holds a real.
    @inlinable public static func real(_ value: Double) -> Slot {
      Slot(kind: .real, bits: value.bitPattern, pointer: nil)
    }
    /// A slot that borrows the UTF-8 bytes of a text.
    @inlinable public static func text(_ bytes: UnsafeRawBufferPointer) -> Slot {
      Slot(kind: .text, bits: UInt64(bytes.count), pointer: bytes.baseAddress)
    }
    /// A slot that borrows bytes.
    @inlinable public static func blob(_ bytes: UnsafeRawBufferPointer) -> Slot {
      Slot(kind: .blob, bits: UInt64(bytes.count), pointer: bytes.baseAddress)
    }
  }

  /// The slots, in field order.
  public let slots: UnsafePointer<Slot>
  /// The number of fields.
  public let count: Int
  /// What keeps the memory alive as long as the view, if anything does; nil for views on memory that
  /// a cursor or transaction holds anyway.
  public let owner: AnyObject?

  /// Creates a view on `count` slots.
  @inlinable public init(slots: UnsafePointer<Slot>, count: Int, owner: AnyObject? = nil) {
    self.slots = slots
    self.count = count
    self.owner = owner
  }

  /// The kind of field `index`.
  @inlinable public func kind(_ index: Int) -> ValueKind { slots[index].kind }
  /// Whether field `index` is null.
  @inlinable public func isNull(_ index: Int) -> Bool { slots[index].kind == .null }
  /// Field `index` as an integer; meaningful only where ``kind(_:)`` says integer.
  @inlinable public func integer(_ index: Int) -> Int64 { Int64(bitPattern: slots[index].bits) }
  /// Field `index` as a real; meaningful only where ``kind(_:)`` says real.
  @inlinable public func real(_ index: Int) -> Double { Double(bitPattern: slots[index].bits) }
  /// The bytes of field `index`; meaningful only where ``kind(_:)`` says text or blob.
  @inlinable public func bytes(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: slots[index].pointer, count: Int(slots[index].bits))
  }

  /// Field `index` as text; meaningful only where ``kind(_:)`` says text.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if the bytes are not UTF-8: they are never replaced.
  public func text(_ index: Int) throws(StorageError) -> String {
    let bytes = bytes(index)
    guard let text = Bytes.text(bytes) else {
      throw StorageError(
        .corrupt,
        "field \(index + 1) of a stored record is not valid UTF-8; restore a backup"
      )
    }
    return text
  }

  /// Field `index` as an owned value.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if a text is not UTF-8.
  public func value(_ index: Int) throws(StorageError) -> Value {
    switch kind(index) {
    case .null: .null
    case .integer: .integer(integer(index))
    case .real: .real(real(index))
    case .text: .text(try text(index))
    case .blob: .blob(Array(bytes(index)))
    }
  }

  /// All fields as owned values, in field order.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if a text is not UTF-8.
  public func values() throws(StorageError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count { values.append(try value(index)) }
    return values
  }
}
