/// The suite: what every backend of Holdfast must do, case by case.
///
/// ```swift
/// let report = await Conformance.run { StoreHarness("mine", open: …, destroy: …) }
/// print(report.text)
/// ```
public enum Conformance {
  /// Grows with every change of a rule or of the list of cases.
  public static let catalogueVersion = 5

  /// How many cases the catalogue holds, so that a group that is dropped does not go unseen.
  public static let expectedCount = 566

  /// How many checks the generated tables hold, each asked on every backend.
  public static let generatedChecks = 42_460

  /// All cases, by area.
  public static let cases: [ConformanceCase] = [
    LifecycleCases.all, ValueCases.all, TextValueCases.all, TypedValueCases.all, EdgeCases.all,
    KeyCases.all, KeyRangeCases.all, RecordCases.all, AutomaticKeyCases.all,
    BatchCases.all, BulkCases.all, UniqueCases.all, LongIndexCases.all,
    QueryTables.all.map(\.conformanceCase), QueryCases.all, AggregateCases.all, SortCases.all,
    PagingCases.all, PlanCases.all, SelectionCases.all,
    TransactionCases.all, SavepointCases.all, IsolationCases.all, ScanCases.all,
    ConcurrencyCases.all, ErrorCodeCases.all, ReferenceCases.all, MigrationCases.all,
    ObservationCases.all, CopyCases.all, CopyCases.restoring,
    PersistenceCases.all, ErrorCases.all, NameCases.all, ProcessCases.all,
  ].flatMap { $0 }
}
