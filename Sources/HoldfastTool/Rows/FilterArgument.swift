import Holdfast

extension Invocation {
  /// The condition of `--where`, with its names checked against the collection.
  ///
  /// - Throws: `StorageError` with code `invalidQuery` for a condition that cannot be read, and
  ///   `unknownField` for a name that is no field; both point at the column.
  func filter(for collection: Collection) throws(StorageError) -> Filter {
    guard let text = arguments["--where"] else { return .all }
    let parsed: (filter: Filter, mentions: [WhereParser.FieldMention])
    do throws(StorageError) {
      parsed = try WhereParser.parse(text)
    } catch {
      throw StorageError(error.code, "--where, \(error.message)")
    }
    for mention in parsed.mentions where collection.positions[mention.name] == nil {
      throw collection.unknownField(mention.name, at: "--where, column \(mention.column)")
    }
    return parsed.filter
  }

  /// Reads the condition before a store is opened, so that wrong usage is told first.
  func checkFilter() throws(StorageError) {
    guard let text = arguments["--where"] else { return }
    do throws(StorageError) {
      _ = try WhereParser.parse(text)
    } catch {
      throw StorageError(error.code, "--where, \(error.message)")
    }
  }
}
