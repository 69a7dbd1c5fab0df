// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "GodwitBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Godwit", path: "..")],
  targets: [
    .systemLibrary(name: "CSpatialSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "DeviceLife",
      dependencies: [
        .product(name: "GodwitWire", package: "Godwit"), .product(name: "GodwitFiles", package: "Godwit"),
        .product(name: "Godwit", package: "Godwit"),
      ]),
    .executableTarget(name: "DeviceProcess", dependencies: ["DeviceLife"]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CSpatialSQLite", "DeviceLife",
        .product(name: "GodwitModel", package: "Godwit"), .product(name: "GodwitWire", package: "Godwit"),
        .product(name: "GodwitFiles", package: "Godwit"),
        .product(name: "GodwitEngine", package: "Godwit"), .product(name: "GodwitJournal", package: "Godwit"),
        .product(name: "Godwit", package: "Godwit"), .product(name: "GodwitServer", package: "Godwit"),
        .product(name: "GodwitSimulator", package: "Godwit"),
        .product(name: "GodwitPhone", package: "Godwit", condition: .when(platforms: [.linux])),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
