/// What a transaction needs of one collection, resolved once: shapes, positions and scratch memory,
/// so that no row allocates or looks anything up.
class PreparedCollection {
  let collection: Collection
  let fieldCount: Int
  let keyPositions: [Int]
  let automaticKeyPosition: Int
  let shapes: UnsafeMutablePointer<RowCoding.Shape>
  /// The fields of the row that was read last.
  let slots: UnsafeMutablePointer<RowView.Slot>
  let indexes: [PreparedIndex]
  let hasUniqueIndex: Bool

  /// The last automatic key, once it was looked up.
  var lastAutomaticKey: Int64?
  /// Whether it has to be written.
  var isAutomaticKeyDirty = false

  init(_ collection: Collection) {
    self.collection = collection
    fieldCount = collection.fields.count
    keyPositions = collection.keyPositions
    automaticKeyPosition = collection.automaticKeyPosition ?? -1
    shapes = .allocate(capacity: fieldCount)
    for (index, field) in collection.fields.enumerated() {
      (shapes + index).initialize(to: RowCoding.Shape(field.type))
    }
    slots = .allocate(capacity: fieldCount)
    slots.initialize(repeating: .null, count: fieldCount)
    indexes = collection.indexes.map(PreparedIndex.init)
    hasUniqueIndex = indexes.contains(where: \.isUnique)
  }

  deinit {
    shapes.deallocate()
    slots.deallocate()
  }

  /// Decodes a stored row into ``slots``.
  ///
  /// - Returns: the row, which borrows `bytes`.
  /// - Throws: ``StorageError/Code/corrupt``.
  @inline(__always)
  final func decode(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> RowView {
    guard RowCoding.decode(bytes, shapes, count: fieldCount, into: slots) else {
      throw damagedRow
    }
    return RowView(slots: slots, count: fieldCount)
  }

  final var damagedRow: StorageError {
    StorageError(
      .corrupt,
      "a record of \(collection.name) is damaged; restore a backup"
    )
  }

  /// Encodes the primary key of a full row.
  @inline(__always)
  final func encodeKey(
    of row: RowView,
    automatic: Int64? = nil,
    into buffer: ByteBuffer
  ) {
    buffer.removeAll()
    if let automatic {
      KeyCoding.append(integer: automatic, to: buffer)
      return
    }
    for position in keyPositions { KeyCoding.append(row.slots[position], to: buffer) }
  }
}

/// What a transaction needs of one index.
final class PreparedIndex {
  let index: Collection.Index
  let positions: [Int]
  let isUnique: Bool
  /// The full bytes of the entry to come.
  let new = ByteBuffer()
  /// The full bytes of the entry that is there.
  let old = ByteBuffer()
  /// New entries that the transaction has yet to store.
  let backlog = IndexBacklog()
  /// How many bytes of ``new`` are the encoded values.
  var newValuesLength = 0
  /// How many bytes of ``old`` are the encoded values.
  var oldValuesLength = 0
  /// Whether all values of ``new`` are there, so that they may collide.
  var mayCollide = false

  init(_ index: Collection.Index) {
    self.index = index
    positions = index.positions
    isUnique = index.definition.isUnique
  }

  /// Fills ``new`` for a row whose encoded key is `key`.
  func encodeNew(_ row: RowView, automatic: Int64?, position: Int, key: UnsafeRawBufferPointer) {
    new.removeAll()
    mayCollide = true
    for field in positions {
      if let automatic, field == position {
        KeyCoding.append(integer: automatic, to: new)
        continue
      }
      let slot = row.slots[field]
      if slot.kind == .null { mayCollide = false }
      KeyCoding.append(slot, to: new)
    }
    newValuesLength = new.count
    new.append(key)
  }

  /// Fills ``old`` for a row whose encoded key is `key`.
  func encodeOld(_ row: RowView, key: UnsafeRawBufferPointer) {
    old.removeAll()
    for field in positions { KeyCoding.append(row.slots[field], to: old) }
    oldValuesLength = old.count
    old.append(key)
  }

  /// Whether ``old`` and ``new`` differ.
  var isChanged: Bool { Bytes.compare(old.bytes, new.bytes) != 0 }

  /// Whether the values of ``old`` and ``new`` differ.
  var areValuesChanged: Bool {
    Bytes.compare(old.bytes(upTo: oldValuesLength), new.bytes(upTo: newValuesLength)) != 0
  }
}

/// A prepared collection with the engine's tables.
final class BoundCollection: PreparedCollection {
  let tables: CollectionTables

  init(_ collection: Collection, _ tables: CollectionTables) {
    self.tables = tables
    super.init(collection)
  }
}

/// The engine's tables of a collection.
struct CollectionTables: Sendable {
  /// The table of the rows.
  var rows: KeyValueTable
  /// The tables of the indexes, in declared order.
  var indexes: [KeyValueTable]
}
