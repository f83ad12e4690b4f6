/// One rule that every backend keeps, as data: a stable id, the rule in one line, and its check.
public struct ConformanceCase: Sendable {
  /// What a case needs from a backend beyond what is mandatory.
  public enum Capability: String, Sendable, CaseIterable {
    /// Stores live in files: `Capabilities.isPersistent`.
    case persistence
    /// Several processes share a store: `Capabilities.sharesBetweenProcesses`.
    case processes
  }

  /// A check: it collects failed expectations in its context, and an error that leaves it fails it.
  public typealias Body = @Sendable (ConformanceContext) async throws -> Void

  /// The stable id, `area.rule`.
  public let id: String
  /// The rule, in one line.
  public let statement: String
  /// What it needs; without it `otherwise` runs instead, so that nothing is skipped.
  public let needs: Set<Capability>
  let body: Body
  /// What is checked on a backend that does not declare what the case needs.
  let otherwise: Body

  /// The area, the part of the id before the dot.
  public var area: String { String(id.prefix { $0 != "." }) }

  /// Creates a case that every backend must pass.
  public init(_ id: String, _ statement: String, body: @escaping Body) {
    self.id = id
    self.statement = statement
    needs = []
    self.body = body
    otherwise = body
  }

  /// Creates a case for an extra, with what to check where it is not declared.
  public init(
    _ id: String,
    _ statement: String,
    needs: Set<Capability>,
    body: @escaping Body,
    otherwise: @escaping Body
  ) {
    self.id = id
    self.statement = statement
    self.needs = needs
    self.body = body
    self.otherwise = otherwise
  }
}

extension ConformanceCase: CustomStringConvertible {
  /// The id.
  public var description: String { id }
}
