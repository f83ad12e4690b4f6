import CSQLite
import Holdfast

/// The statements of a connection that this backend has prepared, to tell them from others.
final class OwnStatements {
  var handles: Set<OpaquePointer> = []
}

/// A prepared statement, with the row that it stands on as borrowed slots.
///
/// Bytes are bound without copies and read without copies: the slots point into SQLite's memory
/// until the next step or reset. Used by one thread at a time, as its connection is.
final class SQLiteStatement {
  let handle: OpaquePointer
  private let database: OpaquePointer
  private let own: OwnStatements
  private let columnCount: Int
  private let slots: UnsafeMutablePointer<RowView.Slot>

  /// Empty text and blobs need an address: SQLite takes a null pointer for NULL.
  private nonisolated(unsafe) static let noBytes: UnsafeRawPointer = {
    // Never written after this, so that sharing it is safe.
    let byte = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    byte.storeBytes(of: 0, as: UInt8.self)
    return UnsafeRawPointer(byte)
  }()

  init(_ handle: OpaquePointer, _ database: OpaquePointer, _ own: OwnStatements) {
    self.handle = handle
    self.database = database
    self.own = own
    own.handles.insert(handle)
    columnCount = Int(sqlite3_column_count(handle))
    slots = .allocate(capacity: max(columnCount, 1))
    slots.initialize(repeating: .null, count: max(columnCount, 1))
  }

  deinit {
    slots.deallocate()
    own.handles.remove(handle)
    // Repeats the code of the last step, which was reported then.
    _ = sqlite3_finalize(handle)
  }

  // MARK: Binding

  /// Binds a slot; its bytes must outlive the steps.
  @inline(__always)
  func bind(_ slot: RowView.Slot, at parameter: Int32) throws(StorageError) {
    let status: Int32
    switch slot.kind {
    case .null: status = sqlite3_bind_null(handle, parameter)
    case .integer:
      status = sqlite3_bind_int64(handle, parameter, Int64(bitPattern: slot.bits))
    case .real: status = sqlite3_bind_double(handle, parameter, Double(bitPattern: slot.bits))
    case .text:
      let pointer = slot.pointer ?? Self.noBytes
      status = sqlite3_bind_text64(
        handle,
        parameter,
        pointer.assumingMemoryBound(to: CChar.self),
        slot.bits,
        nil,
        UInt8(SQLITE_UTF8)
      )
    case .blob:
      status = sqlite3_bind_blob64(handle, parameter, slot.pointer ?? Self.noBytes, slot.bits, nil)
    }
    if status != SQLITE_OK { throw failure(status, "bind a value") }
  }

  /// Binds a whole row, field n to parameter n + 1.
  @inline(__always)
  func bind(_ row: RowView) throws(StorageError) {
    for index in 0..<row.count {
      try bind(row.slots[index], at: Int32(truncatingIfNeeded: index + 1))
    }
  }

  /// Binds an owned value, copying its bytes.
  func bind(_ parameter: SQLParameter, at position: Int32) throws(StorageError) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let status: Int32
    switch parameter {
    case .value(.null): status = sqlite3_bind_null(handle, position)
    case .value(.integer(let value)): status = sqlite3_bind_int64(handle, position, value)
    case .value(.real(let value)): status = sqlite3_bind_double(handle, position, value)
    case .value(.text(var text)):
      status = text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          sqlite3_bind_text64(
            handle,
            position,
            bytes.baseAddress ?? Self.noBytes.assumingMemoryBound(to: CChar.self),
            UInt64(bytes.count),
            transient,
            UInt8(SQLITE_UTF8)
          )
        }
      }
    case .value(.blob(let blob)):
      status = blob.withUnsafeBytes { bytes in
        sqlite3_bind_blob64(
          handle,
          position,
          bytes.baseAddress ?? Self.noBytes,
          UInt64(bytes.count),
          transient
        )
      }
    case .textBytes(let text):
      status = text.withUnsafeBytes { bytes in
        sqlite3_bind_text64(
          handle,
          position,
          (bytes.baseAddress ?? Self.noBytes).assumingMemoryBound(to: CChar.self),
          UInt64(bytes.count),
          transient,
          UInt8(SQLITE_UTF8)
        )
      }
    }
    if status != SQLITE_OK { throw failure(status, "bind a value") }
  }

  // MARK: Running

  /// Moves to the next row; false at the end.
  @inline(__always)
  func step(_ action: StaticString = "read") throws(StorageError) -> Bool {
    let status = sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    if status == SQLITE_DONE { return false }
    throw failure(status, "\(action)")
  }

  /// Runs the statement to its end and makes it ready for the next time.
  func run(_ action: StaticString = "write") throws(StorageError) {
    while try step(action) {}
    reset()
  }

  /// Makes the statement ready for the next time; bindings stay until they are bound again.
  @inline(__always)
  func reset() {
    // Repeats the code of the last step, which was reported then.
    _ = sqlite3_reset(handle)
  }

  /// The error of a failed call on this statement, which is reset.
  func failure(_ status: Int32, _ action: String) -> StorageError {
    let error = StorageError(sqlite: status, database, action)
    reset()
    return error
  }

  // MARK: Rows

  /// The row that the statement stands on, valid until the next step or reset.
  ///
  /// Each column is asked for once, as a value: `sqlite3_column_value` is "not threadsafe" for all but
  /// copies, says its documentation, and a connection is used by one thread at a time.
  @inline(__always)
  func row() throws(StorageError) -> RowView {
    for index in 0..<columnCount {
      let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
      switch sqlite3_value_type(value) {
      case SQLITE_INTEGER: slots[index] = .integer(sqlite3_value_int64(value))
      case SQLITE_FLOAT: slots[index] = .real(sqlite3_value_double(value))
      case SQLITE_TEXT:
        guard let pointer = sqlite3_value_text(value) else {
          throw failure(SQLITE_NOMEM, "read")
        }
        let count = UInt64(UInt32(bitPattern: sqlite3_value_bytes(value)))
        slots[index] = RowView.Slot(kind: .text, bits: count, pointer: pointer)
      case SQLITE_BLOB:
        let pointer = sqlite3_value_blob(value)
        let count = UInt64(UInt32(bitPattern: sqlite3_value_bytes(value)))
        if pointer == nil, count > 0 { throw failure(SQLITE_NOMEM, "read") }
        slots[index] = RowView.Slot(kind: .blob, bits: count, pointer: pointer)
      default: slots[index] = .null
      }
    }
    return RowView(slots: slots, count: columnCount)
  }
}

/// A value to bind to a query.
enum SQLParameter {
  /// A value.
  case value(Value)
  /// The bytes of a text, which need not be valid UTF-8: the end of a range of prefixes.
  case textBytes([UInt8])
}
