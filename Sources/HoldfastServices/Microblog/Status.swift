public import Foundation
public import Holdfast

/// A message of the microblog.
public struct Status: Model, Hashable {
  /// The id; the store chooses it, so that newer ones are larger.
  public var id: Int64?
  /// The id of the user who wrote it.
  public var user: Int64
  /// The device or program that it was sent from.
  public var source: String
  /// When it was written.
  public var createdAt: Date
  /// What it says.
  public var text: String

  /// The collection `status`.
  public static let schema = Schema<Status>("status", key: \.id) {
    Reference(\.user, to: User.self)
  }

  /// Creates a status.
  public init(id: Int64? = nil, user: Int64, source: String, createdAt: Date, text: String) {
    self.id = id
    self.user = user
    self.source = source
    self.createdAt = createdAt
    self.text = text
  }

  /// The source as it is displayed, `from iPhone`; empty if there is none.
  public var sourceLabel: String { source.isEmpty ? "" : "from \(source)" }
}

/// Which fields of a status to modify; all others stay as they are.
public struct StatusChanges: Sendable {
  /// The device or program that it was sent from.
  public var source: Change<String>
  /// When it was written.
  public var createdAt: Change<Date>
  /// What it says.
  public var text: Change<String>

  /// Creates changes; what is not given is kept.
  public init(
    source: Change<String> = .keep,
    createdAt: Change<Date> = .keep,
    text: Change<String> = .keep
  ) {
    self.source = source
    self.createdAt = createdAt
    self.text = text
  }

  func apply(to status: inout Status) {
    source.apply(to: &status.source)
    createdAt.apply(to: &status.createdAt)
    text.apply(to: &status.text)
  }
}

/// A status with the user who wrote it.
public struct StatusEntry: Sendable, Hashable {
  /// The status.
  public var status: Status
  /// Its user.
  public var user: User
}
