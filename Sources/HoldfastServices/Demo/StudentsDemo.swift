import Holdfast

/// Students: makes the store that an app would ship, copies it on first use, lists and inserts.
struct StudentsDemo {
  let print: (String) -> Void

  private static let samples: [(String, Int)] = [
    ("张伟", 19), ("ليلى", 21), ("Zoë O'Neil", 20), ("🧑‍🎓; 100%", 0),
  ]

  func run(on store: Store, template: () throws -> Store) throws {
    try ship(template)
    let students = try StudentStore.open(template: template, in: store)
    print("students: \(students.opening == .created ? "copied from the template" : "existed")")
    if students.opening == .created {
      let student = try students.insert(name: "New \"student\"", age: 18)
      print("inserted \(student.name) as number \(student.id ?? 0)")
    }
    for student in try students.list() {
      print("  \(student.id ?? 0) \(student.name), \(student.age)")
    }
    print("a blank name: \(try DemoText.refusal { try students.insert(name: "", age: 1) })")
    print("a negative age: \(try DemoText.refusal { try students.insert(name: "x", age: -1) })")
  }

  /// Fills the template, unless an earlier run did.
  private func ship(_ template: () throws -> Store) throws {
    let store = try template()
    let students = Repository<Student>(store)
    if try students.count() == 0 {
      try students.insert(contentsOf: Self.samples.map { Student(name: $0.0, age: $0.1) })
    }
    try store.close()
  }
}
