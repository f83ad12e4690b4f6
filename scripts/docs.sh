#!/usr/bin/env bash
# Builds the DocC archive of each library in .build/docs, from the sources' own comments.
set -euo pipefail
cd "$(dirname "$0")/.."
docc=$(command -v docc || echo "$(dirname "$(readlink -f "$(command -v swift)")")/docc")
graphs=.build/symbol-graphs
rm -rf "$graphs" .build/docs
mkdir -p "$graphs" .build/docs
swift build -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs" \
  --scratch-path .build/docs-build
for library in Holdfast HoldfastSQLite HoldfastLMDB HoldfastArchive HoldfastBackends \
  HoldfastServices HoldfastConformance HoldfastConformanceTesting; do
  mkdir "$graphs/$library"
  mv "$graphs/$library".symbols.json "$graphs/$library"@*.symbols.json "$graphs/$library/" 2>/dev/null || true
  "$docc" convert --fallback-display-name "$library" --fallback-bundle-identifier "$library" \
    --additional-symbol-graph-dir "$graphs/$library" --output-path ".build/docs/$library.doccarchive"
  echo ".build/docs/$library.doccarchive"
done
