import Holdfast
import HoldfastBackends
import HoldfastConformance

/// A fresh harness of a built-in backend.
func makeHarness(_ scheme: StorageURL.Scheme) -> StoreHarness {
  let peer = PeerCommand(built: "holdfast", arguments: ["conformance-peer", scheme.rawValue])
  return StoreHarness(
    scheme.rawValue,
    usesFiles: scheme != .memory,
    peer: scheme == .memory ? nil : peer
  ) { path, options in
    try Backends.open(StorageURL(scheme, path: path, options: options))
  } destroy: { path in
    try Backends.destroy(StorageURL(scheme, path: path))
  } raiseFormat: { path in
    try Backends.raiseFormat(StorageURL(scheme, path: path))
  }
}
