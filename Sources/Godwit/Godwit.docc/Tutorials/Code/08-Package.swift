// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "WalkTracker",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "WalkTracker", targets: ["WalkTracker"])],
  dependencies: [.package(name: "Godwit", path: "../Godwit")],
  targets: [
    .target(name: "WalkTracker", dependencies: [.product(name: "Godwit", package: "Godwit")]),
    .executableTarget(name: "Walk", dependencies: ["WalkTracker", .product(name: "Godwit", package: "Godwit")]),
    // The simulated phone runs only on Linux.
    .testTarget(
      name: "WalkTrackerTests",
      dependencies: ["WalkTracker", .product(name: "GodwitTesting", package: "Godwit")]),
  ],
  swiftLanguageModes: [.v6]
)
