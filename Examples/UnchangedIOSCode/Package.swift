// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "UnchangedIOSCode",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Godwit", path: "../..")],
  targets: [
    .executableTarget(name: "UnchangedIOSCode", dependencies: [.product(name: "Godwit", package: "Godwit")])
  ],
  swiftLanguageModes: [.v6]
)
