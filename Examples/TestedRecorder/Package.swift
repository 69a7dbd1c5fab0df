// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "TestedRecorder",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "TripRecorder", targets: ["TripRecorder"])],
  dependencies: [.package(name: "Godwit", path: "../..")],
  targets: [
    .target(name: "TripRecorder", dependencies: [.product(name: "Godwit", package: "Godwit")]),
    .testTarget(
      name: "TripRecorderTests",
      dependencies: ["TripRecorder", .product(name: "GodwitTesting", package: "Godwit")],
      exclude: ["Scenarios"]),
  ],
  swiftLanguageModes: [.v6]
)
