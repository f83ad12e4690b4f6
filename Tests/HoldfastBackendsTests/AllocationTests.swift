#if os(Linux)
import Foundation
import Holdfast
import Testing

/// What operations take from the heap, counted by a library in the way of `malloc`.
@Suite("Allocations") struct AllocationTests {
  /// Counts what each thread allocates, and lets glibc do it.
  private static let library = """
    #include <stddef.h>
    #include <stdint.h>
    extern void *__libc_malloc(size_t);
    extern void *__libc_calloc(size_t, size_t);
    extern void *__libc_realloc(void *, size_t);
    extern void *__libc_memalign(size_t, size_t);
    static __thread uint64_t count __attribute__((tls_model("initial-exec")));
    uint64_t holdfast_allocations(void) { return count; }
    void *malloc(size_t size) { count++; return __libc_malloc(size); }
    void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
    void *realloc(void *old, size_t size) { count++; return __libc_realloc(old, size); }
    void *memalign(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
    void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
    int posix_memalign(void **result, size_t alignment, size_t size) {
      return (*result = memalign(alignment, size)) ? 0 : 12;
    }
    """

  /// The most allocations of operations.
  private struct Budget {
    /// Of an insert, a get, a row of a scan, a get in a snapshot of its own, a query of 20 records by
    /// an index, and an update in a transaction of its own, with the model's own: a record of the test
    /// has one long text.
    var operation: [Double]
    /// For fifteen fields more, which need no memory of their own.
    var fields = [1, 0.5, 0.5, 1, 1, 1]
  }

  private static let budgets = [
    "memory": Budget(operation: [9, 3, 6, 12, 120, 54]),
    // SQLite itself takes memory for the columns of a statement that it begins anew.
    "sqlite": Budget(operation: [12, 5, 3, 14, 80, 24], fields: [1, 4, 0.5, 5, 5, 1]),
    "lmdb": Budget(operation: [9, 3, 3, 13, 85, 28]),
    // The journal has each field as text.
    "json": Budget(operation: [13, 3, 6, 12, 120, 62], fields: [20, 0.5, 0.5, 1, 1, 20]),
    "plist": Budget(operation: [13, 3, 6, 12, 120, 62], fields: [20, 0.5, 0.5, 1, 1, 20]),
  ]

  private static func run(_ command: [String], _ environment: [String: String] = [:]) throws
    -> String
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command)")
    return String(decoding: data, as: UTF8.self)
  }

  @Test("Operations stay in their budget, and no field costs one", arguments: EveryBackend.schemes)
  func budget(_ scheme: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("count.c").path
    let library = folder.appendingPathComponent("count.so").path
    try Data(Self.library.utf8).write(to: URL(fileURLWithPath: source))
    _ = try Self.run(["clang", "-O2", "-shared", "-fPIC", "-o", library, source])
    let url = scheme == "memory" ? "memory:" : "\(scheme):\(folder.path)/store"
    let text = try Self.run(
      [try probe().path, "allocations", url, "2000"],
      ["LD_PRELOAD": library]
    )
    var figures: [String: [Double]] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      figures[String(words[0])] = words.dropFirst().compactMap { Double($0) }
    }
    let narrow = try #require(figures["narrow"])
    let wide = try #require(figures["wide"])
    let budget = try #require(Self.budgets[scheme])
    try #require(narrow.count == budget.operation.count && wide.count == narrow.count)
    let more = zip(wide, narrow).map { $0 - $1 }
    for (figure, most) in zip(narrow + more, budget.operation + budget.fields) {
      #expect(figure <= most, "\(text)")
    }
  }
}
#endif
