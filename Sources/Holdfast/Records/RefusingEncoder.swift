/// Stands in for an encoder or container that a row has no place for: everything throws.
struct RefusingEncoder: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  let collection: String
  let what: String
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var count: Int { 0 }

  private var error: StorageError {
    StorageError(
      .typeMismatch,
      "a record of \(collection) encodes with \(what); "
        + "a model must be a keyed container of fields"
    )
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed<Key>(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() throws { throw error }
  func encode<T: Encodable>(_ value: T) throws { throw error }
  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { self }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RefusingEncoder
    var codingPath: [any CodingKey] { [] }
    func encodeNil(forKey key: Key) throws { throw encoder.error }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw encoder.error }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type,
      forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { encoder.container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}
