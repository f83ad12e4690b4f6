import Foundation
import Holdfast
import HoldfastBackends

/// Bulk loads, against the engine's own bulk insert of the same records.
extension Bench {
  /// Measures the import of a file of JSON lines into an empty store, without reading the file: the
  /// floor has its records in memory.
  func importPart(_ importer: Importer, _ backend: String) -> Part {
    Part(titles: ["import"]) { folder, report in
      let place = try BenchPlace(folder, backend, .normal)
      defer { place.remove() }
      let records = (1...size.records).map { BenchStatus.sample(Int64($0)) }
      let source = try BenchPlace(folder, backend, .none)
      defer { source.remove() }
      let file = source.path("records.jsonl")
      try lines(of: records).write(to: URL(fileURLWithPath: file))
      let collection = BenchStatus.schema.name
      var peaks: [Side: Int] = [:]
      let times = try Comparison(rounds: rounds) { side, round in
        var time = 0.0
        func work() throws {
          switch side {
          case .ours:
            let store = try Backends.open(place.url())
            try store.write { try Repository<BenchStatus>(store).create(in: $0) }
            let parsing = try timed {
              try importer.parse(file, collection, store)
              return size.records
            }
            time = try timed {
              try importer.load(file, collection, store)
              return size.records
            }
            time -= parsing
            try store.close()
          case .floor:
            let floor = try place.floor()
            time = try timed {
              try floor.load(records)
              return size.records
            }
            try floor.close()
          }
        }
        if round == 0 { peaks[side] = try PeakMemory.during(work) } else { try work() }
        try place.clear()
        return time
      }
      try report(measurement(backend, "import", times, peaks: peaks))
    }
  }

  /// Measures copying a whole store into a new one, complete and on disk at the end; the floor makes
  /// its store of the same records.
  func copyPart(_ backend: String) -> Part {
    Part(titles: ["copy"]) { folder, report in
      let place = try BenchPlace(folder, backend, .normal)
      let source = try BenchPlace(folder, backend, .normal)
      defer {
        place.remove()
        source.remove()
      }
      let records = (1...size.records).map { BenchStatus.sample(Int64($0)) }
      let original = try source.open(.ours)
      try original.insert(records)
      try original.close()
      var peaks: [Side: Int] = [:]
      var sizes: [Side: Int64] = [:]
      let times = try Comparison(rounds: rounds) { side, round in
        let work = {
          switch side {
          case .ours:
            try Backends.convert(StorageURL(source.url()), to: StorageURL(place.url()))
          case .floor:
            let floor = try place.floor()
            try floor.load(records)
            try floor.close()
          }
        }
        let time = try timed {
          if round == 0 { peaks[side] = try PeakMemory.during(work) } else { try work() }
          return size.records
        }
        sizes[side] = place.size(of: side)
        try place.clear()
        return time
      }
      try report(measurement(backend, "copy", times, peaks: peaks, sizes: sizes))
    }
  }

  /// The records as JSON lines.
  private func lines(of records: [BenchStatus]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(DateCoding.encode(date))
    }
    var data = Data()
    for record in records { data += try encoder.encode(record) + [0x0A] }
    return data
  }
}
