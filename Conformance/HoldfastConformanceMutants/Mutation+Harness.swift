import Holdfast
package import HoldfastConformance

extension Mutation {
  /// A fresh harness of stores in memory with one thing wrong; with nothing wrong for nil.
  package static func harness(_ mutation: Mutation?) -> StoreHarness {
    StoreHarness(mutation?.rawValue ?? "unchanged", usesFiles: false) { path, options in
      try StoreRegistry.shared.open(path, isFile: false, kind: "mutant", options: options) {
        () throws(StorageError) in
        var options = options
        if mutation == .createdUnasked { options.createsIfMissing = true }
        let engine = MutantEngine(MemoryEngine.shared(name: path), mutation)
        return MutantStorage(try KeyValueStorage(engine, options: options), mutation) {
          MemoryEngine.destroy(name: path)
        }
      }
    } destroy: { path in
      MemoryEngine.destroy(name: path)
    }
  }
}
