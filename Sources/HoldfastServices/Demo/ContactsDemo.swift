import Holdfast

/// Contacts: creates, adds, renames, deletes, lists.
struct ContactsDemo {
  let print: (String) -> Void

  private static let samples = [
    Contact(name: "王芳", address: "上海市静安区南京西路1号; 3楼", phone: "+86 21 5555 0101"),
    Contact(name: "Noor", address: "١٢ شارع النيل، القاهرة", phone: "+20 2 5550 0102"),
    Contact(name: "D'Arcy", address: "\"The Old Mill\", 7/8 Main St.", phone: ""),
    Contact(name: "王芳", address: "", phone: "100% unknown"),
    Contact(name: "🧑‍🌾 Ana", address: "Rua das Flores, 5", phone: "+351 555 0103"),
  ]

  func run(on store: Store) throws {
    let contacts = ContactService(store)
    print("contacts: \(try contacts.create())")
    if try contacts.list().isEmpty {
      for contact in Self.samples { try contacts.add(contact) }
      print("added \(Self.samples.count) contacts")
    }
    try list(contacts)
    print("renamed \(try contacts.rename("王芳", to: "王小芳")) contacts")
    try list(contacts)
    print("renamed \(try contacts.rename("王小芳", to: "王芳")) contacts back")
    try contacts.add(Contact(name: "temp; --", address: "%", phone: "'"))
    print("deleted \(try contacts.delete(named: "temp; --")) contact")
    print("deleted \(try contacts.delete(named: "nobody")) contacts of an unknown name")
    print("\(try contacts.list().count) contacts are left")
  }

  private func list(_ contacts: ContactService) throws {
    for contact in try contacts.list() {
      print(
        "  \(contact.id ?? 0) \(contact.name) | \(DemoText.line(contact.address)) | "
          + DemoText.line(contact.phone)
      )
    }
  }
}
