extension Bench {
  /// One line of the result.
  public struct Measurement: Codable, Sendable, Equatable {
    /// The backend.
    public var backend: String
    /// The workload, with its durability where that matters.
    public var workload: String
    /// Records in the store.
    public var records: Int
    /// Our time, in microseconds per operation.
    public var ours: Double
    /// The floor's time, in microseconds per operation.
    public var floor: Double
    /// Ours divided by the floor's.
    public var ratio: Double
    /// The ratio that is aimed at, if one is.
    public var target: Double?
    /// The time that is aimed at instead, in microseconds.
    public var targetTime: Double?
    /// How much anonymous memory the work took at its peak, in bytes; nil where the system does not
    /// tell.
    public var ourPeak: Int?
    /// The same of the floor.
    public var floorPeak: Int?
    /// What the store takes on disk, in bytes.
    public var ourSize: Int64?
    /// What the floor's store takes.
    public var floorSize: Int64?
    /// How many times as much as one thread two threads did.
    public var ourGain: Double?
    /// The same of the floor.
    public var floorGain: Double?
    /// By what our time has grown since the smallest number of records, divided by what the floor's
    /// has.
    public var growth: Double?

    private enum CodingKeys: String, CodingKey {
      case backend, workload, records, ratio, target, growth
      case ours = "ours_us"
      case floor = "floor_us"
      case targetTime = "target_us"
      case ourPeak = "ours_peak_bytes"
      case floorPeak = "floor_peak_bytes"
      case ourSize = "ours_disk_bytes"
      case floorSize = "floor_disk_bytes"
      case ourGain = "ours_gain"
      case floorGain = "floor_gain"
    }

    /// Creates a measurement from times in microseconds per operation.
    public init(
      backend: String,
      workload: String,
      records: Int,
      ours: Double,
      floor: Double
    ) {
      self.backend = backend
      self.workload = workload
      self.records = records
      self.ours = ours
      self.floor = floor
      ratio = ours / floor
      target = Target.ratio(backend, workload)
      targetTime = Target.time(backend, workload)
    }

    /// Whether the target is met; nil if there is none.
    public var isMet: Bool? {
      if let target { return ratio <= target }
      return targetTime.map { ours <= $0 }
    }
  }
}
