/// One thing that a check of a store found.
public struct Finding: Sendable, Hashable, Codable {
  /// Whether it is a fault; otherwise it is worth knowing, and nothing is wrong.
  public var isFault: Bool
  /// One line: what was found, and where.
  public var message: String

  /// Creates a finding.
  public init(isFault: Bool, _ message: String) {
    self.isFault = isFault
    self.message = message
  }

  /// A fault.
  public static func fault(_ message: String) -> Finding { Finding(isFault: true, message) }
  /// Something worth knowing.
  public static func note(_ message: String) -> Finding { Finding(isFault: false, message) }
}
