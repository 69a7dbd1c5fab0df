// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "CycleTracker",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "Rides", targets: ["Rides"])],
  dependencies: [.package(name: "Godwit", path: "../..")],
  targets: [
    .target(
      name: "Rides",
      dependencies: [.product(name: "Godwit", package: "Godwit"), .product(name: "GodwitTracks", package: "Godwit")]),
    .executableTarget(
      name: "CycleTracker", dependencies: ["Rides", .product(name: "Godwit", package: "Godwit")]),
  ],
  swiftLanguageModes: [.v6]
)
