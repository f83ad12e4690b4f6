#!/usr/bin/env bash
# Builds the DocC archive of each library in .build/docs, from the sources' own comments and articles.
# Any warning fails it.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
if [ "$(uname)" = Darwin ]; then tools=$(dirname "$(xcrun --find docc)"); fi

swift build -Xswiftc -warnings-as-errors
modules=$(swift build --show-bin-path)/Modules
target=$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -1)
sdk=()
if [ "$(uname)" = Darwin ]; then sdk=(-sdk "$(xcrun --show-sdk-path)"); fi

graphs=.build/symbol-graphs
rm -rf "$graphs" .build/docs
mkdir -p .build/docs
for library in Holdfast HoldfastSQLite HoldfastLMDB HoldfastArchive HoldfastBackends \
  HoldfastServices HoldfastConformance HoldfastConformanceTesting; do
  mkdir -p "$graphs/$library"
  "$tools/swift-symbolgraph-extract" -module-name "$library" -target "$target" \
    ${sdk[@]+"${sdk[@]}"} -I "$modules" -I Sources/CSQLite -I Sources/CLMDB \
    -minimum-access-level public -output-dir "$graphs/$library"
  catalog=$(find Sources Conformance -type d -name "$library.docc")
  "$tools/docc" convert ${catalog:+"$catalog"} --warnings-as-errors \
    --fallback-display-name "$library" --fallback-bundle-identifier "$library" \
    --additional-symbol-graph-dir "$graphs/$library" --output-path ".build/docs/$library.doccarchive"
  echo ".build/docs/$library.doccarchive"
done
