import Holdfast

/// Writes records as an XML property list, one record a line.
struct XMLRecordWriter {
  private let fields: PropertyListFields
  /// `<key>…</key>` of each field.
  private let keys: [[UInt8]]

  init(_ collection: Collection) {
    fields = PropertyListFields(collection)
    keys = fields.keys.map { key in
      let output = OutputBuffer()
      output.append("<key>")
      Array(key.utf8).withUnsafeBytes { Self.appendEscaped($0, to: output) }
      output.append("</key>")
      return withExtendedLifetime(output) { Array(output.bytes) }
    }
  }

  func begin(_ output: OutputBuffer) {
    output.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <array>

      """
    )
  }

  func append(_ row: RowView, to output: OutputBuffer) {
    output.append("<dict>")
    for position in 0..<row.count where !row.isNull(position) {
      output.append(keys[position])
      appendValue(row, position, to: output)
    }
    output.append("</dict>\n")
  }

  func end(_ output: OutputBuffer) { output.append("</array>\n</plist>\n") }

  private func appendValue(_ row: RowView, _ position: Int, to output: OutputBuffer) {
    let type = fields.collection.fields[position].type
    switch row.kind(position) {
    case .null: return
    case .integer where type == .bool:
      output.append(row.integer(position) == 0 ? "<false/>" : "<true/>")
    case .integer:
      output.append("<integer>")
      output.appendInteger(row.integer(position))
      output.append("</integer>")
    case .real:
      let value = row.real(position)
      output.append("<real>")
      if value.isFinite {
        output.appendReal(value)
      } else {
        output.append(value > 0 ? "+infinity" : "-infinity")
      }
      output.append("</real>")
    case .text: appendText(row.bytes(position), type, to: output)
    case .blob where type == .uuid:
      output.append("<string>")
      UUIDText.append(row.bytes(position), to: output)
      output.append("</string>")
    case .blob: appendData(row.bytes(position), to: output)
    }
  }

  private func appendText(
    _ bytes: UnsafeRawBufferPointer,
    _ type: FieldType,
    to output: OutputBuffer
  ) {
    if PropertyListFields.isXMLText(bytes) {
      output.append("<string>")
      Self.appendEscaped(bytes, to: output)
      output.append("</string>")
    } else if type == .any {
      output.append("<dict><key>text</key>")
      appendData(bytes, to: output)
      output.append("</dict>")
    } else {
      appendData(bytes, to: output)
    }
  }

  private func appendData(_ bytes: UnsafeRawBufferPointer, to output: OutputBuffer) {
    output.append("<data>")
    Base64.append(bytes, to: output)
    output.append("</data>")
  }

  private static func appendEscaped(_ bytes: UnsafeRawBufferPointer, to output: OutputBuffer) {
    var start = 0
    for index in 0..<bytes.count {
      let entity: StaticString
      switch bytes[index] {
      case 0x26: entity = "&amp;"
      case 0x3C: entity = "&lt;"
      case 0x3E: entity = "&gt;"
      default: continue
      }
      output.append(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
      output.append(entity)
      start = index + 1
    }
    output.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }
}

/// The text of a UUID's 16 bytes.
enum UUIDText {
  static let length = 36

  static func append(_ bytes: UnsafeRawBufferPointer, to output: OutputBuffer) {
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { output.append(0x2D) }
      output.append(digit(byte >> 4))
      output.append(digit(byte & 15))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}
