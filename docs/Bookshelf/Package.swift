// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Bookshelf",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Holdfast", path: "../..")],
  targets: [
    .executableTarget(
      name: "Bookshelf",
      dependencies: [
        .product(name: "Holdfast", package: "Holdfast"),
        .product(name: "HoldfastBackends", package: "Holdfast"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]
    )
  ]
)
