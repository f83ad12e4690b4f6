public import Observation
import Synchronization

/// The results of a query for the user interface: always what the store holds, observable property by
/// property.
///
/// ```swift
/// struct PeopleView: View {
///   @State var people = ObservedResults(people.observe(sort: [.ascending(\.name)]))
///   var body: some View { List(people.elements) { Text($0.name) } }
/// }
/// ```
/// It observes as long as it lives. On the main actor.
@MainActor
@Observable
public final class ObservedResults<Element: Sendable> {
  /// The results as of the last commit that was seen; empty until they are first read.
  public private(set) var elements: [Element] = []
  /// Whether they were read once.
  public private(set) var isLoaded = false
  /// What ended the observation, if something did.
  public private(set) var error: (any Error)?

  @ObservationIgnored private let running = RunningTask()

  /// Begins to observe.
  public init(_ results: ValueObservation<[Element]>) {
    running.task.withLock { task in
      task = Task { [weak self] in
        do {
          for try await elements in results {
            guard let self else { return }
            self.elements = elements
            if !isLoaded { isLoaded = true }
          }
        } catch {
          self?.error = error
        }
      }
    }
  }
}

/// A task that is cancelled with the object that it works for.
private final class RunningTask: Sendable {
  let task = Mutex<Task<Void, Never>?>(nil)
  deinit { task.withLock { $0?.cancel() } }
}
