/// The records of a selection, one by one, with constant memory however many there are.
///
/// ```swift
/// for try await user in users.all.stream() { … }
/// ```
///
/// Records are read ahead in chunks, each in a read transaction of its own that begins behind the
/// last record: no snapshot and no thread is held while the loop's body runs, so that it may read,
/// write and wait. What is inserted or deleted behind the last chunk meanwhile is seen; no record
/// comes twice unless it moves in the order. An order that no index serves costs a pass over the
/// collection for each chunk. Cancelling the task ends the stream with `CancellationError`.
public struct RecordStream<M: Model>: AsyncSequence, Sendable {
  /// A record.
  public typealias Element = M
  /// Any error of reading.
  public typealias Failure = any Error

  /// The most records of a chunk.
  static var chunkCount: Int { 512 }
  /// A chunk ends at the record with which it passes so many bytes as they are stored.
  static var chunkBytes: Int { 1 << 20 }

  fileprivate let selection: Selection<M>

  /// Begins at the selection's first record.
  public func makeAsyncIterator() -> Iterator { Iterator(selection: selection) }

  /// A walk over the records.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var selection: Selection<M>
    private var chunk: ArraySlice<M> = []
    private var isAtEnd = false

    fileprivate init(selection: Selection<M>) { self.selection = selection }

    /// The next record; nil at the end.
    ///
    /// - Throws: as ``Selection/fetch(in:)``; `CancellationError`.
    public mutating func next() async throws -> M? {
      try await next(isolation: nil)
    }

    /// The next record; nil at the end.
    ///
    /// - Throws: as ``Selection/fetch(in:)``; `CancellationError`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> M? {
      if let model = chunk.popFirst() { return model }
      if isAtEnd { return nil }
      try Task.checkCancellation()
      let selection = selection
      let read = try await selection.repository.store.read { try selection.chunk(in: $0) }
      chunk = read.elements[...]
      if let next = read.next {
        self.selection = selection.behind(read.elements.count, next)
      } else {
        isAtEnd = true
      }
      return chunk.popFirst()
    }
  }
}

/// The pages of a selection, one by one.
///
/// The page's token, kept anywhere, goes on behind it later, on another backend too. Cancelling the
/// task ends the sequence with `CancellationError`.
public struct PageSequence<M: Model>: AsyncSequence, Sendable {
  /// A page.
  public typealias Element = Page<M>
  /// Any error of reading.
  public typealias Failure = any Error

  fileprivate let selection: Selection<M>
  fileprivate let count: Int
  fileprivate let start: PageToken?

  /// Begins at the first page, or behind the token.
  public func makeAsyncIterator() -> Iterator {
    Iterator(selection: selection, count: count, token: start)
  }

  /// A walk over the pages.
  public struct Iterator: AsyncIteratorProtocol {
    private let selection: Selection<M>
    private let count: Int
    private var token: PageToken?
    private var isAtStart = true

    fileprivate init(selection: Selection<M>, count: Int, token: PageToken?) {
      self.selection = selection
      self.count = count
      self.token = token
    }

    /// The next page, never an empty one; nil at the end.
    ///
    /// - Throws: as `Selection.page(of:after:in:)`; `CancellationError`.
    public mutating func next() async throws -> Page<M>? {
      try await next(isolation: nil)
    }

    /// The next page, never an empty one; nil at the end.
    ///
    /// - Throws: as `Selection.page(of:after:in:)`; `CancellationError`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Page<M>? {
      if !isAtStart, token == nil { return nil }
      try Task.checkCancellation()
      let page = try await selection.page(of: count, after: token)
      isAtStart = false
      token = page.next
      return page.elements.isEmpty ? nil : page
    }
  }
}

extension Selection {
  /// The records, one by one with constant memory; see ``RecordStream``.
  public func stream() -> RecordStream<M> { RecordStream(selection: self) }

  /// The records in pages of `count`, from the first or from behind `token`.
  ///
  /// A count of 0 gives no page, a negative one ``StorageError/Code/invalidQuery``.
  public func pages(of count: Int, after token: PageToken? = nil) -> PageSequence<M> {
    PageSequence(selection: self, count: count, start: token)
  }

  /// The first records, and a token that goes on behind them; nil at the end.
  fileprivate func chunk(in transaction: ReadTransaction) throws -> Page<M> {
    guard let source = try repository.source(of: query, in: transaction) else {
      return Page(elements: [], next: nil)
    }
    var part = source.query
    part.limit = min(query.limit ?? .max, RecordStream<M>.chunkCount)
    let cursor = try transaction.rows(part)
    defer { cursor.close() }
    let decoder = RowDecoder(source.layout)
    var models = ModelBuffer<M>(limit: part.limit)
    var bytes = 0
    while let row = try cursor.next() {
      try models.append(row, decoder)
      bytes += row.byteCount
      if models.count == part.limit || bytes > RecordStream<M>.chunkBytes {
        let isLast = models.count == query.limit
        let next = isLast ? nil : try cursor.token(after: row)
        return Page(elements: models.takeAll(), next: next)
      }
    }
    return Page(elements: models.takeAll(), next: nil)
  }

  /// What is left behind the first `count` records.
  fileprivate func behind(_ count: Int, _ token: PageToken) -> Selection {
    limited(to: query.limit.map { $0 - count }).after(token)
  }
}

extension RowView {
  /// How many bytes its texts and blobs take.
  fileprivate var byteCount: Int {
    (0..<count).reduce(0) { total, index in
      switch kind(index) {
      case .text, .blob: total + bytes(index).count
      case .null, .integer, .real: total
      }
    }
  }
}
