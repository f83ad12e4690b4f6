import CSQLite
import Holdfast

/// Totals and means as SQL functions: SQLite's own depend on the order of rows, and fail where only
/// an intermediate sum does not fit.
enum ExactSumFunctions {
  static let sum = "holdfast_sum"
  static let average = "holdfast_average"
  private static let overflowMessage = "holdfast: the sum does not fit"

  private final class Accumulator {
    var sum = ExactSum()
  }

  /// Makes the functions known to a connection.
  static func register(_ database: OpaquePointer) throws(StorageError) {
    try register(database, sum) { context, total in
      do throws(StorageError) {
        setResult(context, try total.total())
      } catch {
        sqlite3_result_error(context, overflowMessage, -1)
      }
    }
    try register(database, average) { context, total in setResult(context, total.mean()) }
  }

  /// The typed error, if `error` comes from one of the functions.
  static func overflow(_ error: StorageError) -> StorageError? {
    guard error.message.contains(overflowMessage) else { return nil }
    return StorageError(
      .overflow,
      "the sum does not fit in 64 bits; sum fewer records",
      backend: "sqlite",
      engineCode: error.engineCode
    )
  }

  private final class Result {
    let set: (OpaquePointer?, ExactSum) -> Void
    init(_ set: @escaping (OpaquePointer?, ExactSum) -> Void) { self.set = set }
  }

  private static func register(
    _ database: OpaquePointer,
    _ name: String,
    _ set: @escaping (OpaquePointer?, ExactSum) -> Void
  ) throws(StorageError) {
    let result = Unmanaged.passRetained(Result(set)).toOpaque()
    let status = sqlite3_create_function_v2(
      database,
      name,
      1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      result,
      nil,
      { context, _, arguments in ExactSumFunctions.add(context, arguments?[0]) },
      { context in ExactSumFunctions.finish(context) },
      { result in
        if let result { Unmanaged<Result>.fromOpaque(result).release() }
      }
    )
    if status != SQLITE_OK { throw StorageError(sqlite: status, database, "add a function") }
  }

  /// One row of a group: the accumulator hangs on the group's aggregate context.
  private static func add(_ context: OpaquePointer?, _ value: OpaquePointer?) {
    guard let memory = sqlite3_aggregate_context(context, Int32(MemoryLayout<UInt>.size)) else {
      sqlite3_result_error_nomem(context)
      return
    }
    let place = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    let accumulator: Accumulator
    if let known = place.pointee {
      accumulator = Unmanaged<Accumulator>.fromOpaque(known).takeUnretainedValue()
    } else {
      accumulator = Accumulator()
      place.pointee = Unmanaged.passRetained(accumulator).toOpaque()
    }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: accumulator.sum.add(sqlite3_value_int64(value))
    case SQLITE_FLOAT: accumulator.sum.add(sqlite3_value_double(value))
    default: break
    }
  }

  /// The end of a group; also called, without use of the result, when a statement is given up.
  private static func finish(_ context: OpaquePointer?) {
    guard let data = sqlite3_user_data(context) else { return }
    let result = Unmanaged<Result>.fromOpaque(data).takeUnretainedValue()
    guard let memory = sqlite3_aggregate_context(context, 0),
      let known = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
    else {
      result.set(context, ExactSum())
      return
    }
    result.set(context, Unmanaged<Accumulator>.fromOpaque(known).takeRetainedValue().sum)
  }

  private static func setResult(_ context: OpaquePointer?, _ value: Value) {
    switch value {
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .null, .text, .blob: sqlite3_result_null(context)
    }
  }
}
