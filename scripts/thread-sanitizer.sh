#!/usr/bin/env bash
# Runs the tests of many threads and tasks under the thread sanitizer; any report fails them.
#
# usage: scripts/thread-sanitizer.sh [FILTER]
#
# On Linux a small library tells the sanitizer of Swift's Mutex, see thread-sanitizer.c. A program of two
# threads and one Mutex shows first that this works.
set -euo pipefail
cd "$(dirname "$0")/.."
filter="${1:-StressTests|StoreConcurrencyTests|PreferencesTests|ObservationTests}"
folder=.build/thread-sanitizer

swift build --build-tests --sanitize=thread --scratch-path "$folder"

if [ "$(uname)" = Linux ]; then
  clang -O1 -shared -fPIC -o "$folder/mutex.so" scripts/thread-sanitizer.c
  export LD_PRELOAD="$PWD/$folder/mutex.so"
  cat > "$folder/mutex.swift" <<'SWIFT'
import Foundation
import Synchronization

final class Counter: Sendable {
  let value = Mutex(0)
}
let counter = Counter()
let group = DispatchGroup()
for _ in 0..<2 {
  group.enter()
  Thread.detachNewThread {
    for _ in 0..<10_000 { counter.value.withLock { $0 += 1 } }
    group.leave()
  }
}
group.wait()
SWIFT
  swiftc -swift-version 6 -sanitize=thread -o "$folder/mutex" "$folder/mutex.swift"
  "$folder/mutex"
fi

# Those that measure time would measure the sanitizer's.
swift test --skip-build --sanitize=thread --scratch-path "$folder" --filter "$filter" \
  --skip ObservationTests/otherProcess --skip timerKeepsTicking
