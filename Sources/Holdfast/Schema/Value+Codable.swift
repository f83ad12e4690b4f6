extension Value: Codable {
  private enum CodingKeys: String, CodingKey { case null, integer, real, text, blob }

  /// Encodes the value as an object with its kind as the one key.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .real(let value): try container.encode(value.description, forKey: .real)
    case .text(let value): try container.encode(value, forKey: .text)
    case .blob(let value): try container.encode(value, forKey: .blob)
    }
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch container.allKeys.first {
    case .null: self = .null
    case .integer: self = .integer(try container.decode(Int64.self, forKey: .integer))
    case .real:
      guard let real = Double(try container.decode(String.self, forKey: .real)), !real.isNaN else {
        throw DecodingError.dataCorruptedError(
          forKey: .real,
          in: container,
          debugDescription: "not a real number"
        )
      }
      self = .real(real)
    case .text: self = .text(try container.decode(String.self, forKey: .text))
    case .blob: self = .blob(try container.decode([UInt8].self, forKey: .blob))
    case nil:
      throw DecodingError.dataCorrupted(
        .init(codingPath: container.codingPath, debugDescription: "a value without a kind")
      )
    }
  }
}
