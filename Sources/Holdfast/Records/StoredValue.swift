import Foundation

/// A type of stored property, as it moves between a model's memory and a row.
///
/// What it reads and writes is what the containers of ``RowDecoder`` and ``RowEncoder`` do for the
/// same type.
protocol StoredValue {
  /// Initializes memory with the value of a field.
  static func load(_ position: Int, _ decoder: RowDecoder, into memory: UnsafeMutableRawPointer)
    throws
  /// Sets a field to the value in memory.
  static func store(_ memory: UnsafeRawPointer, _ position: Int, _ encoder: RowEncoder) throws
  /// Ends the life of the value in memory.
  static func destroy(_ memory: UnsafeMutableRawPointer)
}

/// A stored value that a field holds as it is.
protocol StoredLeaf: StoredValue {
  static func decode(_ position: Int, _ decoder: RowDecoder) throws -> Self
  func encode(_ position: Int, _ encoder: RowEncoder) throws
}

extension StoredLeaf {
  static func load(_ position: Int, _ decoder: RowDecoder, into memory: UnsafeMutableRawPointer)
    throws
  {
    memory.initializeMemory(as: Self.self, to: try decode(position, decoder))
  }
  static func store(_ memory: UnsafeRawPointer, _ position: Int, _ encoder: RowEncoder) throws {
    try memory.assumingMemoryBound(to: Self.self).pointee.encode(position, encoder)
  }
  static func destroy(_ memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
  }
}

extension Optional: StoredValue where Wrapped: StoredLeaf {
  static func load(_ position: Int, _ decoder: RowDecoder, into memory: UnsafeMutableRawPointer)
    throws
  {
    let value: Self = decoder.row.isNull(position) ? nil : try .decode(position, decoder)
    memory.initializeMemory(as: Self.self, to: value)
  }
  static func store(_ memory: UnsafeRawPointer, _ position: Int, _ encoder: RowEncoder) throws {
    guard let value = memory.assumingMemoryBound(to: Self.self).pointee else { return }
    try value.encode(position, encoder)
  }
  static func destroy(_ memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
  }
  private static func decode(_ position: Int, _ decoder: RowDecoder) throws -> Self {
    try Wrapped.decode(position, decoder)
  }
}

extension Bool: StoredLeaf {
  static func decode(_ position: Int, _ decoder: RowDecoder) throws -> Bool {
    try decoder.bool(position)
  }
  func encode(_ position: Int, _ encoder: RowEncoder) {
    encoder.buffer.setInteger(position, self ? 1 : 0)
  }
}

extension String: StoredLeaf {
  static func decode(_ position: Int, _ decoder: RowDecoder) throws -> String {
    try decoder.string(position)
  }
  func encode(_ position: Int, _ encoder: RowEncoder) { encoder.buffer.setText(position, self) }
}

extension Double: StoredLeaf {
  static func decode(_ position: Int, _ decoder: RowDecoder) throws -> Double {
    try decoder.double(position)
  }
  func encode(_ position: Int, _ encoder: RowEncoder) { encoder.buffer.setReal(position, self) }
}

extension Float: StoredLeaf {
  static func decode(_ position: Int, _ decoder: RowDecoder) throws -> Float {
    try decoder.float(position)
  }
  func encode(_ position: Int, _ encoder: RowEncoder) {
    encoder.buffer.setReal(position, Double(self))
  }
}

extension Date: StoredLeaf {
  static func decode(_ position: Int, _ decoder: RowDecoder) throws -> Date {
    try decoder.date(position)
  }
  func encode(_ position: Int, _ encoder: RowEncoder) throws {
    try encoder.encode(self, at: position)
  }
}

/// Integers of all widths, the unsigned ones as far as they fit.
protocol StoredInteger: StoredLeaf, FixedWidthInteger {}

extension StoredInteger {
  static func decode(_ position: Int, _ decoder: RowDecoder) throws -> Self {
    try decoder.integer(position, Self.self)
  }
  func encode(_ position: Int, _ encoder: RowEncoder) throws {
    if let integer = Int64(exactly: self) { return encoder.buffer.setInteger(position, integer) }
    try encoder.encode(unsigned: UInt64(clamping: self), at: position)
  }
}

extension Int: StoredInteger {}
extension Int8: StoredInteger {}
extension Int16: StoredInteger {}
extension Int32: StoredInteger {}
extension Int64: StoredInteger {}
extension UInt: StoredInteger {}
extension UInt8: StoredInteger {}
extension UInt16: StoredInteger {}
extension UInt32: StoredInteger {}
extension UInt64: StoredInteger {}

/// A value that its own `Codable` conformance reads and writes: enums, wrappers, nested types, and
/// Foundation's types that ``RowDecoder`` knows.
enum CodedValue<T: Codable>: StoredValue {
  static func load(_ position: Int, _ decoder: RowDecoder, into memory: UnsafeMutableRawPointer)
    throws
  {
    memory.initializeMemory(as: T.self, to: try decoder.value(T.self, position))
  }
  static func store(_ memory: UnsafeRawPointer, _ position: Int, _ encoder: RowEncoder) throws {
    try encoder.encode(memory.assumingMemoryBound(to: T.self).pointee, at: position)
  }
  static func destroy(_ memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: T.self).deinitialize(count: 1)
  }
}

/// A value of a ``CodedValue``'s kind, or nil for null.
enum OptionalCodedValue<T: Codable>: StoredValue {
  static func load(_ position: Int, _ decoder: RowDecoder, into memory: UnsafeMutableRawPointer)
    throws
  {
    let value = decoder.row.isNull(position) ? nil : try decoder.value(T.self, position)
    memory.initializeMemory(as: T?.self, to: value)
  }
  static func store(_ memory: UnsafeRawPointer, _ position: Int, _ encoder: RowEncoder) throws {
    guard let value = memory.assumingMemoryBound(to: T?.self).pointee else { return }
    try encoder.encode(value, at: position)
  }
  static func destroy(_ memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: T?.self).deinitialize(count: 1)
  }
}

/// How values of a type are read and written in memory; nil where they are not.
func storedValue(_ type: Any.Type) -> (any StoredValue.Type)? {
  if let type = type as? any StoredValue.Type { return type }
  if let optional = type as? any AnyOptional.Type {
    guard let wrapped = optional.wrappedType as? any Codable.Type else { return nil }
    func make<T: Codable>(_ type: T.Type) -> any StoredValue.Type { OptionalCodedValue<T>.self }
    return make(wrapped)
  }
  // Whether a property holds a class or one of its subclasses cannot be told from its value.
  guard !(type is AnyClass), let coded = type as? any Codable.Type else { return nil }
  func make<T: Codable>(_ type: T.Type) -> any StoredValue.Type { CodedValue<T>.self }
  return make(coded)
}
