import Foundation
import Testing

/// The repository, found from this file.
let repository = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

@Suite("Structure of the package")
struct ImportRulesTests {
  private static let platform: Set = [
    "Foundation", "Darwin", "Glibc", "Dispatch", "Synchronization",
  ]
  private static let rules: [(folder: String, allowed: Set<String>)] = [
    ("Sources/Holdfast", platform.union(["Observation"])),
    ("Sources/HoldfastSQLite", platform.union(["Holdfast", "CSQLite"])),
    ("Sources/HoldfastLMDB", platform.union(["Holdfast", "CLMDB"])),
    ("Sources/HoldfastArchive", platform.union(["Holdfast"])),
    (
      "Sources/HoldfastBackends",
      platform.union(["Holdfast", "HoldfastSQLite", "HoldfastLMDB", "HoldfastArchive"])
    ),
    ("Sources/HoldfastServices", platform.union(["Holdfast"])),
    ("Conformance/HoldfastConformance", platform.union(["Holdfast"])),
    (
      "Conformance/HoldfastConformanceMutants",
      platform.union(["Holdfast", "HoldfastConformance"])
    ),
    (
      "Conformance/HoldfastConformanceTesting",
      platform.union(["Holdfast", "HoldfastConformance", "Testing"])
    ),
  ]

  private func sources(in folder: String) throws -> [URL] {
    let root = repository.appendingPathComponent(folder)
    let all = try #require(
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    )
    return all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
  }

  @Test("Every module imports only what its layer may", arguments: rules.map(\.folder))
  func imports(_ folder: String) throws {
    let allowed = try #require(Self.rules.first { $0.folder == folder }).allowed
    let files = try sources(in: folder)
    #expect(!files.isEmpty)
    for file in files {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ").drop {
          ["public", "package", "internal", "private", "fileprivate"].contains($0)
            || $0.hasPrefix("@")
        }
        guard words.first == "import", let module = words.dropFirst().last else { continue }
        let name = String(module.prefix { $0 != "." })
        #expect(allowed.contains(name), "\(file.lastPathComponent) imports \(name)")
      }
    }
  }

  @Test("Backends use only the public API of Holdfast, and never its records layer")
  func backendsUsePublicAPI() throws {
    for folder in ["Sources/HoldfastSQLite", "Sources/HoldfastLMDB", "Sources/HoldfastArchive"] {
      for file in try sources(in: folder) {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("@testable"), "\(file.lastPathComponent)")
        // Records, and what is `package`: nobody else's backend could use these.
        for name in [
          "Repository<", "Preferences(", ": Model", "Schema<", "ByteBuffer", "Bytes.compare",
          "Bytes.contains", "Bytes.text", "WhereParser",
        ] {
          #expect(!text.contains(name), "\(file.lastPathComponent) uses \(name)")
        }
      }
    }
  }

  @Test("Services and the suite name no backend")
  func noBackendNamed() throws {
    for folder in ["Sources/HoldfastServices", "Conformance/HoldfastConformance"] {
      for file in try sources(in: folder) {
        let lines = try String(contentsOf: file, encoding: .utf8).lowercased().split(
          separator: "\n"
        )
        let text = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        for name in ["sqlite:", "lmdb:", "json:/", "plist:", "import csqlite", "holdfastbackends"] {
          #expect(!text.contains(name), "\(file.lastPathComponent) names \(name)")
        }
      }
    }
  }

  @Test("No two paths are equal but for case")
  func noCaseCollisions() throws {
    var seen: [String: String] = [:]
    for folder in ["Sources", "Tests", "Conformance", "docs", ".ci", "scripts"] {
      let root = repository.appendingPathComponent(folder)
      let all = FileManager.default.enumerator(atPath: root.path)
      while let path = all?.nextObject() as? String {
        let full = "\(folder)/\(path)"
        let other = seen.updateValue(full, forKey: full.lowercased())
        #expect(other == nil, "\(full) and \(other ?? "")")
      }
    }
    #expect(seen.count > 50)
  }
}
