import Testing

@testable import GodwitPorting

/// A source and the expected result of `--fix`.
struct Repair: CustomTestStringConvertible, Sendable {
  let name, before, after: String
  var testDescription: String { name }

  init(_ name: String, _ before: String, _ after: String) { (self.name, self.before, self.after) = (name, before, after) }

  static let all = [
    Repair(
      "an optional call of the delegate, which compiles", "delegate?.locationManager?(manager, didUpdateLocations: [location])",
      "delegate?.locationManager?(manager, didUpdateLocations: [location])"),
    Repair(
      "a comment and a string", "// @objc \nlet text = \"@objc \" + #\"@objc \"#",
      "// @objc \nlet text = \"@objc \" + #\"@objc \"#"),
    Repair("an interpolation", "print(\"\\(NSEC_PER_SEC)\")", "print(\"\\(NSEC_PER_SEC)\")"),
    Repair(
      "code for iOS", "import CoreLocation\n#if os(iOS)\nfunc pause() {}\n#endif\n",
      "import CoreLocation\n#if os(iOS) || os(Linux)\nfunc pause() {}\n#endif\n"),
    Repair(
      "code for iOS and no Catalyst",
      "import CoreLocation\n#if os(iOS) && !targetEnvironment(macCatalyst)\nfunc pause() {}\n#endif\n",
      "import CoreLocation\n#if (os(iOS) || os(Linux)) && !targetEnvironment(macCatalyst)\nfunc pause() {}\n#endif\n"),
    Repair(
      "code for all but iOS", "import CoreLocation\n#if !os(iOS)\nlet isPhone = false\n#else\nlet isPhone = true\n#endif\n",
      "import CoreLocation\n#if !(os(iOS) || os(Linux))\nlet isPhone = false\n#else\nlet isPhone = true\n#endif\n"),
    Repair(
      "iOS as the second branch",
      "import CoreLocation\n#if os(macOS)\nlet a = 1\n#elseif os(iOS) || os(tvOS)\nlet a = 2\n#endif\n",
      "import CoreLocation\n#if os(macOS)\nlet a = 1\n#elseif os(iOS) || os(Linux) || os(tvOS)\nlet a = 2\n#endif\n"),
    Repair(
      "code for iOS that needs UIKit", "import CoreLocation\n#if os(iOS)\nimport UIKit\n#endif\n",
      "import CoreLocation\n#if os(iOS)\nimport UIKit\n#endif\n"),
    Repair(
      "a condition that names Linux", "import CoreLocation\n#if os(iOS) || os(Linux)\nlet a = 1\n#endif\n",
      "import CoreLocation\n#if os(iOS) || os(Linux)\nlet a = 1\n#endif\n"),
    Repair(
      "a flag of the project", "import CoreLocation\n#if os(iOS) && APPCLIP\nlet a = 1\n#endif\n",
      "import CoreLocation\n#if os(iOS) && APPCLIP\nlet a = 1\n#endif\n"),
    Repair(
      "code for iOS in a file without location", "import Foundation\n#if os(iOS)\nlet a = 1\n#endif\n",
      "import Foundation\n#if os(iOS)\nlet a = 1\n#endif\n"),
    Repair(
      "an import of a submodule", "@preconcurrency import CoreLocation.CLLocationManagerDelegate\n",
      "@preconcurrency import CoreLocation\n"),
    Repair("an import of one class", "import class CoreLocation.CLLocation\n", "import class CoreLocation.CLLocation\n"),
    Repair(
      "attributes of Objective-C",
      "@objcMembers\nclass A: NSObject {\n  @objc(go:) func go(_ a: Int) {}\n  @objc dynamic var b = 1\n}\n",
      "class A: NSObject {\n  func go(_ a: Int) {}\n  var b = 1\n}\n"),
    Repair(
      "an optional requirement", "@objc protocol P {\n  @objc optional func a()\n}\n",
      "protocol P {\n  @objc optional func a()\n}\n"),
    Repair(
      "a request", "import Foundation\nlet a: URLRequest\n",
      "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\nimport Foundation\nlet a: URLRequest\n"),
    Repair(
      "a request with the import",
      "import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\nlet a: URLRequest\n",
      "import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\nlet a: URLRequest\n"),
    Repair("a constant of Darwin", "let a = 3 * NSEC_PER_SEC", "let a = 3 * 1_000_000_000"),
    Repair(
      "an expectation without a time", "await fulfillment(of: [a, b(c)])\n", "await fulfillment(of: [a, b(c)], timeout: 86_400)\n"
    ),
    Repair("an expectation with a time", "wait(for: [a], timeout: 3)\n", "wait(for: [a], timeout: 3)\n"),
    Repair("another function of the name", "wait(3)\nfulfillment(of: promise", "wait(3)\nfulfillment(of: promise"),
    Repair(
      "lines that end as on Windows", "import CoreLocation.CLVisit\r\nlet a = 1\r\n", "import CoreLocation\r\nlet a = 1\r\n"),
  ]
}

@Suite("Repairs in the sources of iOS apps")
struct RepairTests {
  @Test("a repair changes only its place, and a repaired file is not changed again", arguments: Repair.all)
  func repair(_ row: Repair) {
    let repaired = String(decoding: PortingSource("a.swift", Array(row.before.utf8)).repaired, as: UTF8.self)
    #expect(repaired == row.after)
    #expect(String(decoding: PortingSource("a.swift", Array(repaired.utf8)).repaired, as: UTF8.self) == row.after)
  }

  @Test("a truncated file is read, and unknown code is kept", arguments: Repair.all)
  func truncated(_ row: Repair) {
    let bytes = Array(row.before.utf8)
    for count in bytes.indices {
      let source = PortingSource("a.swift", Array(bytes.prefix(count)))
      #expect(source.differences.allSatisfy { $0.line >= 1 && $0.column >= 1 })
      #expect(source.repaired.count + 60 >= count)
    }
  }
}
