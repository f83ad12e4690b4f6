import Foundation
import Holdfast

/// Who writes.
struct Author: Model, Equatable {
  var id: Int64?
  var name: String
  static let schema = Schema<Author>("author", key: \.id) { Unique(\.name) }
}

/// What is on the shelf, as of version 3.
struct Book: Model, Equatable {
  var id: Int64?
  var title: String
  var author: Int64
  var year: Int?
  /// From 1 to 5; nil where nobody has read it.
  var stars: Int?
  static let schema = Schema<Book>("book", key: \.id) {
    Index(\.year)
    Reference(\.author, to: Author.self, onDelete: .cascade)
  }
}
