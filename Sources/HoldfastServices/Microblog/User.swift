public import Foundation
public import Holdfast

/// A user of the microblog; names are not unique.
public struct User: Model, Hashable {
  /// The id; the store chooses it.
  public var id: Int64?
  /// The name, which several users may share.
  public var name: String
  /// The name that is shown.
  public var screenName: String
  /// Where the profile image is.
  public var profileImageURL: URL?
  /// The kind of membership, as a number.
  public var membership: Int?
  /// The city.
  public var city: String?
  /// What the user says about himself or herself.
  public var description: String?

  /// The collection `user`.
  public static let schema = Schema<User>("user", key: \.id) {
    Index(\.name)
  }

  /// Creates a user; fields that are not given stay empty.
  public init(
    id: Int64? = nil,
    name: String,
    screenName: String,
    profileImageURL: URL? = nil,
    membership: Int? = nil,
    city: String? = nil,
    description: String? = nil
  ) {
    self.id = id
    self.name = name
    self.screenName = screenName
    self.profileImageURL = profileImageURL
    self.membership = membership
    self.city = city
    self.description = description
  }
}

/// Which fields of a user to modify; all others stay as they are.
public struct UserChanges: Sendable {
  /// The name.
  public var name: Change<String>
  /// The name that is shown.
  public var screenName: Change<String>
  /// Where the profile image is.
  public var profileImageURL: Change<URL?>
  /// The kind of membership.
  public var membership: Change<Int?>
  /// The city.
  public var city: Change<String?>
  /// What the user says about himself or herself.
  public var description: Change<String?>

  /// Creates changes; what is not given is kept.
  public init(
    name: Change<String> = .keep,
    screenName: Change<String> = .keep,
    profileImageURL: Change<URL?> = .keep,
    membership: Change<Int?> = .keep,
    city: Change<String?> = .keep,
    description: Change<String?> = .keep
  ) {
    self.name = name
    self.screenName = screenName
    self.profileImageURL = profileImageURL
    self.membership = membership
    self.city = city
    self.description = description
  }

  func apply(to user: inout User) {
    name.apply(to: &user.name)
    screenName.apply(to: &user.screenName)
    profileImageURL.apply(to: &user.profileImageURL)
    membership.apply(to: &user.membership)
    city.apply(to: &user.city)
    description.apply(to: &user.description)
  }
}
