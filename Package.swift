// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "Holdfast",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Holdfast", targets: ["Holdfast"]),
    .library(name: "HoldfastSQLite", targets: ["HoldfastSQLite"]),
    .library(name: "HoldfastLMDB", targets: ["HoldfastLMDB"]),
    .library(name: "HoldfastArchive", targets: ["HoldfastArchive"]),
    .library(name: "HoldfastBackends", targets: ["HoldfastBackends"]),
    .library(name: "HoldfastServices", targets: ["HoldfastServices"]),
    .library(name: "HoldfastConformance", targets: ["HoldfastConformance"]),
    .library(name: "HoldfastConformanceTesting", targets: ["HoldfastConformanceTesting"]),
    .executable(name: "holdfast", targets: ["HoldfastTool"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .systemLibrary(
      name: "CLMDB",
      pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
    ),
    .target(name: "Holdfast", swiftSettings: settings),
    .target(
      name: "HoldfastSQLite",
      dependencies: ["Holdfast", "CSQLite"],
      swiftSettings: settings
    ),
    .target(name: "HoldfastLMDB", dependencies: ["Holdfast", "CLMDB"], swiftSettings: settings),
    .target(name: "HoldfastArchive", dependencies: ["Holdfast"], swiftSettings: settings),
    .target(
      name: "HoldfastBackends",
      dependencies: ["Holdfast", "HoldfastSQLite", "HoldfastLMDB", "HoldfastArchive"],
      swiftSettings: settings
    ),
    .target(name: "HoldfastServices", dependencies: ["Holdfast"], swiftSettings: settings),
    .target(
      name: "HoldfastBench",
      dependencies: ["Holdfast", "HoldfastBackends", "CSQLite", "CLMDB"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "HoldfastTool",
      dependencies: [
        "Holdfast", "HoldfastBackends", "HoldfastSQLite", "HoldfastServices", "HoldfastBench",
        "HoldfastConformance", "HoldfastConformanceMutants",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "HoldfastConformance",
      dependencies: ["Holdfast"],
      path: "Conformance/HoldfastConformance",
      swiftSettings: settings
    ),
    .target(
      name: "HoldfastConformanceMutants",
      dependencies: ["Holdfast", "HoldfastConformance"],
      path: "Conformance/HoldfastConformanceMutants",
      swiftSettings: settings
    ),
    .target(
      name: "HoldfastConformanceTesting",
      dependencies: ["HoldfastConformance"],
      path: "Conformance/HoldfastConformanceTesting",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "HoldfastProbe",
      dependencies: ["Holdfast", "HoldfastBackends"],
      path: "Tests/HoldfastProbe",
      swiftSettings: settings
    ),
    .testTarget(name: "HoldfastTests", dependencies: ["Holdfast"], swiftSettings: settings),
    .testTarget(
      name: "HoldfastSQLiteTests",
      dependencies: ["HoldfastSQLite", "CSQLite"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "HoldfastLMDBTests",
      dependencies: ["HoldfastLMDB", "CLMDB"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "HoldfastArchiveTests",
      dependencies: ["HoldfastArchive"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "HoldfastBackendsTests",
      dependencies: ["HoldfastArchive", "HoldfastBackends", "HoldfastServices"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "HoldfastServicesTests",
      dependencies: ["HoldfastServices", "HoldfastBackends"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "HoldfastToolTests",
      dependencies: ["HoldfastTool", "HoldfastBackends", "HoldfastBench", "CSQLite"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "HoldfastConformanceTests",
      dependencies: [
        "HoldfastConformance", "HoldfastConformanceMutants", "HoldfastConformanceTesting",
        "HoldfastBackends",
      ],
      swiftSettings: settings
    ),
  ]
)
