import Holdfast

/// A cursor that is open, or was.
struct ModelCursor: Sendable {
  /// What is left of its query.
  var query: Query
  var snapshot: Int?
  /// How many levels were open when it was opened.
  var depth: Int
  /// The row that it gave last.
  var last: [Value]?
  var isAtEnd = false
  var isClosed = false
}

/// A paging walk: the query, and where its last page ended.
struct ModelPage: Sendable {
  var query: Query
  /// What a token belongs to, besides its query.
  var shape: String
  var last: [Value]

  static func shape(_ collection: ModelCollection) -> String {
    let definition = collection.definition
    let fields = definition.fields.map { "\(ModelText.name($0.name)) \($0.type.rawValue)" }
    return "\(ModelText.name(definition.name)) \(fields) \(ModelStep.names(definition.key))"
  }
}
