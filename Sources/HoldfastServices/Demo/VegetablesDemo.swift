import Holdfast

/// Prices of vegetables: adds, changes, removes, and what is refused.
struct VegetablesDemo {
  let print: (String) -> Void

  private static let samples: [(String, Double)] = [
    ("番茄", 3.5), ("بصل", 0.75), ("aubergine 🍆", 12), ("O'Hara's \"best\" leek; 5%", 1e-3),
  ]

  func run(on store: Store) throws {
    let prices = VegetablePriceService(store)
    var added = 0
    for (name, price) in Self.samples where try prices.find(name) == nil {
      try prices.add(name, price: price)
      added += 1
    }
    print("vegetables: \(added == 0 ? "existed" : "added \(added)")")
    try list(prices)
    print("tomatoes now cost \(try prices.changePrice(of: "番茄", to: 4.25).price)")
    try prices.changePrice(of: "番茄", to: 3.5)
    try prices.add("temporary", price: 1)
    try prices.remove("temporary")
    print("a blank name: \(try DemoText.refusal { try prices.add(" ", price: 1) })")
    print("a name twice: \(try DemoText.refusal { try prices.add("番茄", price: 1) })")
    print("a price of 0: \(try DemoText.refusal { try prices.add("free", price: 0) })")
    print(
      "an infinite price: "
        + (try DemoText.refusal { try prices.changePrice(of: "番茄", to: .infinity) })
    )
    print("an unknown name: \(try DemoText.refusal { try prices.remove("unknown") })")
    try list(prices)
  }

  private func list(_ prices: VegetablePriceService) throws {
    for vegetable in try prices.list() {
      print("  \(vegetable.id ?? 0) \(vegetable.name): \(vegetable.price)")
    }
  }
}
