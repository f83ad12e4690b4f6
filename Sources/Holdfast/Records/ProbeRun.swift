/// One decoding from made-up values: it numbers the values that it makes, and varies one of them.
final class ProbeRun {
  /// The number of the value that differs from the first run's.
  let varied: Int?
  /// How many values were made.
  private(set) var count = 0

  init(varying varied: Int? = nil) { self.varied = varied }

  /// Numbers the next value; says whether it is the one that differs.
  func next() -> Bool {
    defer { count += 1 }
    return count == varied
  }

  /// Whether the value that differs is among those made since `start`.
  func hasVaried(since start: Int) -> Bool {
    guard let varied else { return false }
    return varied >= start && varied < count
  }
}
