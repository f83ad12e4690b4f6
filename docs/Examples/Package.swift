// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Backends",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "SlowStore", targets: ["SlowStore"]),
    .library(name: "ListStore", targets: ["ListStore"]),
  ],
  dependencies: [.package(name: "Holdfast", path: "../..")],
  targets: [
    .target(name: "SlowStore", dependencies: [.product(name: "Holdfast", package: "Holdfast")]),
    .target(name: "ListStore", dependencies: [.product(name: "Holdfast", package: "Holdfast")]),
    .testTarget(
      name: "BackendTests",
      dependencies: [
        "SlowStore", "ListStore",
        .product(name: "HoldfastConformance", package: "Holdfast"),
        .product(name: "HoldfastConformanceTesting", package: "Holdfast"),
      ]
    ),
  ]
)
