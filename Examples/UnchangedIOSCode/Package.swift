// swift-tools-version: 6.1
import PackageDescription

// Apple's systems have Core Location; on Linux the product CoreLocationLinux brings it, without anything else of Godwit.
#if os(Linux)
  let packages: [Package.Dependency] = [.package(name: "Godwit", path: "../..")]
  let products: [Target.Dependency] = [.product(name: "CoreLocationLinux", package: "Godwit")]
#else
  let packages: [Package.Dependency] = []
  let products: [Target.Dependency] = []
#endif

let package = Package(
  name: "UnchangedIOSCode",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: packages,
  targets: [.executableTarget(name: "UnchangedIOSCode", dependencies: products)],
  swiftLanguageModes: [.v6]
)
