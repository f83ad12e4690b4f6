import Foundation
import HoldfastConformance
import Testing

/// What the suite expects comes from code of its own, and from a second one in Python.
@Suite struct OracleTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the oracle imports nothing of the library`() throws {
    let folder = Self.repository
      .appendingPathComponent("Conformance/HoldfastConformance/Oracle/Plain")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: nil
    )
    #expect(files.count >= 4)
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      let imports = text.split(separator: "\n").filter { $0.contains("import ") }
      #expect(imports.isEmpty, "\(file.lastPathComponent) has \(imports)")
    }
  }

  @Test func `an oracle in Python gives the same answers to every generated check`() throws {
    let (status, output) = try Self.runPython(on: Conformance.exportTables())
    #expect(status == 0, "\(output)")
    #expect(output.contains(" \(Conformance.generatedChecks) checks, 0 disagree"), "\(output)")
  }

  @Test(arguments: ["[[7]]", "[[8],[9]]", "[[9],[8],[7]]", "[]", "{\"error\":\"typeMismatch\"}"])
  func `the oracle in Python sees a wrong answer`(_ answer: String) throws {
    // Fields, rows and a question whose right answer is 9, 8.
    let table = """
      {"tables":[{"id":"x","fields":[["id","integer"],["value","real"]],"key":["id"],
      "rows":[[7,null],[8,{"real":"3ff0000000000000"}],[9,{"real":"3ff0000000000000"}]],
      "questions":[{"keys":{"where":[">=","value",1],"sort":[["id",true]],"limit":null,"offset":0},
      "answer":ANSWER}]}]}
      """
    let right = try Self.runPython(on: table.replacing("ANSWER", with: "[[9],[8]]"))
    #expect(right.status == 0, "\(right.output)")
    let wrong = try Self.runPython(on: table.replacing("ANSWER", with: answer))
    #expect(wrong.status == 1, "\(wrong.output)")
    #expect(wrong.output.contains("x, check 0"), "\(wrong.output)")
  }

  private static func runPython(on tables: String) throws -> (status: Int32, output: String) {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-tables-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(tables.utf8).write(to: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let interpreter = ProcessInfo.processInfo.environment["HOLDFAST_PYTHON"] ?? "python3"
    let script = repository.appendingPathComponent("Conformance/oracle/oracle.py").path
    process.arguments = [interpreter, script, file.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
