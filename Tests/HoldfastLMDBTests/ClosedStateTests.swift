import Foundation
import Holdfast
import Testing

@testable import HoldfastLMDB

/// What a store that was closed leaves beside its data, and when it is believed.
@Suite struct ClosedStateTests: SmallStoreSuite {
  let store: SmallStore

  init() throws { store = try SmallStore() }

  private var lockText: String {
    get throws { try String(contentsOfFile: path + "/write.lock", encoding: .utf8) }
  }

  /// Makes a page of records one that no walk accepts.
  private func damage() throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: data))
    try handle.seek(toOffset: 4 * 4096)
    try handle.write(contentsOf: [0xFF, 0xFF, 0xFF])
    try handle.close()
  }

  private var opening: StorageError.Code? {
    code { try LMDBEngine(path: path).close() }
  }

  @Test func `closing notes the state, and opening it again believes that`() throws {
    try engine.close()
    let noted = try lockText
    #expect(try noted == DataFile(path: data).state().text)
    try damage()
    #expect(opening == .corrupt)
    // As if nothing had happened: the pages are not looked at.
    let state = try DataFile(path: data).state().text
    try Data(state.utf8).write(to: URL(fileURLWithPath: path + "/write.lock"))
    #expect(opening == nil)
    #expect(try lockText == state)
  }

  @Test func `a file whose time was put back is looked at`() throws {
    try engine.close()
    let copy = folder.path("time")
    try run("/usr/bin/touch", ["-r", data, copy])
    try damage()
    try run("/usr/bin/touch", ["-r", copy, data])
    #expect(opening == .corrupt)
  }

  @Test func `a copy is looked at`() throws {
    try engine.close()
    try damage()
    let copy = folder.path("copy")
    try run("/bin/cp", ["-a", path, copy])
    #expect(code { try LMDBEngine(path: copy).close() } == .corrupt)
  }

  @Test func `a store that was not closed is looked at`() throws {
    try engine.close()
    let noted = try lockText
    let again = try LMDBEngine(path: path)
    try again.write { try $0.put("more", "1", in: try #require(try again.openTable("c1"))) }
    #expect(try lockText == noted)
    #expect(try DataFile(path: data).state().text != noted)
    try again.close()
    #expect(try DataFile(path: data).state().text == lockText)
  }

  @Test func `a file that something else changed meanwhile is not noted`() throws {
    try engine.close()
    let again = try LMDBEngine(path: path)
    try damage()
    try again.close()
    #expect(opening == .corrupt)
  }

  @Test func `commits that may not be on disk are not noted`() throws {
    try engine.close()
    let noted = try lockText
    var options = StorageOptions()
    options.durability = .none
    let fast = try LMDBEngine(path: path, options: options)
    try fast.write { try $0.put("more", "1", in: try #require(try fast.openTable("c1"))) }
    try fast.close()
    #expect(try lockText == noted)
  }

  @Test func `a note of rubbish costs a look and no more`() throws {
    try engine.close()
    for text in ["", "closed", String(repeating: "closed 1 2 3 ", count: 10_000)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/write.lock"))
      #expect(opening == nil)
      #expect(try lockText == DataFile(path: data).state().text)
    }
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
