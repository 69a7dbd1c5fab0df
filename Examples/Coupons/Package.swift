// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Coupons",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "Coupons", targets: ["Coupons"])],
  dependencies: [.package(name: "Godwit", path: "../..")],
  targets: [
    .target(name: "Coupons", dependencies: [.product(name: "Godwit", package: "Godwit")]),
    // The simulated phone runs only on Linux.
    .testTarget(
      name: "CouponsTests",
      dependencies: [
        "Coupons", .product(name: "GodwitTesting", package: "Godwit"), .product(name: "GodwitModel", package: "Godwit"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
