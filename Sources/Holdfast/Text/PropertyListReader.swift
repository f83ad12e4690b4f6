/// A strict pull parser for property lists, XML and binary.
///
/// Written here rather than left to `PropertyListSerialization`, which crashes on deep nesting,
/// takes exponential time on shared references and rounds. Nesting deeper than 512, containers that
/// are referred to twice, repeated keys, NaN and anything malformed are errors. XML entities are
/// never expanded beyond the five of XML and numeric ones.
public struct PropertyListReader {
  /// The deepest nesting that is read.
  public static let maximumDepth = 512

  private final class XML {
    var parser: XMLPropertyListParser

    init(_ source: ByteSource, maximumTokenLength: Int) {
      parser = XMLPropertyListParser(source, maximumTokenLength: maximumTokenLength)
    }
  }
  private final class Binary {
    var parser: BinaryPropertyListParser

    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
      parser = BinaryPropertyListParser(bytes, try BinaryPropertyListTrailer(bytes))
    }
  }
  private enum Parser {
    case xml(XML)
    case binary(Binary)
  }
  private let parser: Parser

  /// Creates a reader of XML, from memory or from chunks.
  ///
  /// - Parameters:
  ///   - source: the input.
  ///   - maximumTokenLength: the longest string or data, in bytes.
  public init(
    xml source: ByteSource,
    maximumTokenLength: Int = JSONReader.defaultMaximumTokenLength
  ) {
    parser = .xml(XML(source, maximumTokenLength: maximumTokenLength))
  }

  /// Creates a reader of bytes in memory, in either format; they must stay in place while it is
  /// used.
  ///
  /// - Throws: ``StorageError/Code/malformedInput`` if the binary format's trailer makes no sense.
  public init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    if Self.isBinary(bytes) {
      parser = .binary(try Binary(bytes))
    } else {
      parser = .xml(
        XML(ByteSource(bytes), maximumTokenLength: JSONReader.defaultMaximumTokenLength)
      )
    }
  }

  /// Whether bytes begin a property list in the binary format.
  public static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.prefix(6).elementsEqual("bplist".utf8)
  }

  /// Reads the next token.
  ///
  /// - Throws: ``StorageError/Code/malformedInput`` with the place; what the source throws. After
  ///   an error the reader is of no more use.
  public mutating func next() throws(StorageError) -> PropertyListToken {
    switch parser {
    case .xml(let xml): try xml.parser.next()
    case .binary(let binary): try binary.parser.next()
    }
  }

  /// The bytes of the key, string, data or date that ``next()`` returned last, borrowed until the
  /// next call.
  public var bytes: UnsafeRawBufferPointer {
    switch parser {
    case .xml(let xml): xml.parser.bytes
    case .binary(let binary): binary.parser.bytes
    }
  }

  /// The text of the key, string or date that ``next()`` returned last.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads over the rest of the value that `token` began.
  ///
  /// - Throws: as ``next()``.
  public mutating func skipValue(after token: PropertyListToken) throws(StorageError) {
    guard token == .beginArray || token == .beginDictionary else { return }
    var depth = 1
    while depth > 0 {
      switch try next() {
      case .beginArray, .beginDictionary: depth += 1
      case .endArray, .endDictionary: depth -= 1
      default: break
      }
    }
  }

  /// Makes an error with the place of the current token.
  public func error(_ code: StorageError.Code, _ message: String) -> StorageError {
    switch parser {
    case .xml(let xml): StorageError(code, "\(message) at \(xml.parser.place)")
    case .binary(let binary): StorageError(code, "\(message) at \(binary.parser.place)")
    }
  }
}
