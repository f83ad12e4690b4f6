import Foundation
import Testing

/// Every piece of Swift in the articles is code of a test beside this file, which compiles and runs.
@Suite struct ArticleTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let catalogue = tests.appendingPathComponent(
    "../../../Sources/Holdfast/Holdfast.docc"
  )

  private static var articles: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
        .filter { $0.hasSuffix(".md") && $0 != "Holdfast.md" }.sorted()
    }
  }

  /// The lines of a text without their indentation and without empty ones.
  private static func lines(_ text: Substring) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private static func blocks(of article: String) -> [[String]] {
    article.components(separatedBy: "```swift\n").dropFirst().compactMap { part in
      part.range(of: "```").map { lines(part[..<$0.lowerBound]) }
    }
  }

  @Test func `there are nine articles, each with code`() throws {
    #expect(try Self.articles.count == 9)
  }

  @Test(arguments: try articles)
  func `the code of an article is code of its test`(_ name: String) throws {
    let article = try String(
      contentsOf: Self.catalogue.appendingPathComponent(name),
      encoding: .utf8
    )
    let test = Self.tests.appendingPathComponent(name.replacing(".md", with: ".swift"))
    let code = Self.lines(try String(contentsOf: test, encoding: .utf8)[...])
    let blocks = Self.blocks(of: article)
    #expect(!blocks.isEmpty)
    for block in blocks {
      let isThere = code.indices.contains { code[$0...].starts(with: block) }
      #expect(isThere, "\(name): \(block.first ?? "an empty block") …")
    }
  }
}
