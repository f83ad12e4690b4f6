/// A reference from properties of a model to the primary key of another model, or of the same one.
///
/// ```swift
/// struct Status: Model {
///   var id: Int64?
///   var user: Int64
///   var replyTo: Int64?
///   static let schema = Schema<Status>("status", key: \.id) {
///     Reference(\.user, to: User.self, onDelete: .cascade)
///     Reference(\.replyTo, to: Status.self, onDelete: .setNull)
///   }
/// }
/// ```
///
/// The store refuses a record that refers to none, and does what the ``DeleteRule`` says when the
/// record that is referred to is deleted; observers hear of the records that go or change with it.
/// A property that is null refers to nothing. The reference brings an index over its properties, if
/// there is none. The target's collection is created with the model's own.
///
/// The target's schema is looked at only when it is needed: models may refer to themselves and to
/// each other in a ring.
public struct Reference<M: Model>: Sendable {
  let part: SchemaPart<M>

  /// Creates a reference.
  ///
  /// - Parameters:
  ///   - fields: the properties, in the order of the target's key and of its types.
  ///   - target: the model that is referred to.
  ///   - onDelete: what becomes of a record when the one that it refers to is deleted.
  public init<Target: Model>(
    _ fields: (any PartialKeyPath<M> & Sendable)...,
    to target: Target.Type,
    onDelete: DeleteRule = .restrict
  ) {
    part = SchemaPart(
      content: .reference(
        SchemaReference(fields: fields, target: ModelSchema(target), onDelete: onDelete)
      )
    )
  }
}

/// One reference of a schema.
struct SchemaReference<M: Model>: Sendable {
  let fields: [any PartialKeyPath<M> & Sendable]
  let target: ModelSchema
  let onDelete: DeleteRule
}

/// The schema of a model whose type is not known where it is used; found out when it is asked for.
struct ModelSchema: Sendable {
  /// The definition, and the models that it refers to.
  struct Resolved {
    let definition: CollectionDefinition
    let targets: [ModelSchema]
  }

  /// The model's type, as it is written.
  let model: String
  private let name: @Sendable () -> String
  private let resolution: @Sendable () -> Result<Resolved, StorageError>

  init<M: Model>(_ type: M.Type) {
    model = "\(type)"
    name = { M.schema.name }
    resolution = {
      Result { () throws(StorageError) in
        let resolved = try M.schema.resolved()
        return Resolved(definition: resolved.definition, targets: resolved.targets)
      }
    }
  }

  /// The collection's name.
  var collectionName: String { name() }

  func resolved() throws(StorageError) -> Resolved { try resolution().get() }
}
