import Foundation
import Testing

@testable import GodwitPorting

@Suite("Differences in the sources of iOS apps")
struct DifferenceTests {
  private static func found(_ text: String) -> [String] {
    PortingSource("a.swift", Array(text.utf8)).differences.map {
      "\($0.line):\($0.column) \($0.kind.rawValue)\($0.isRepairable ? "*" : "")"
    }
  }

  @Test(
    "a difference has its line, column and kind",
    arguments: [
      ("import UIKit\n", ["1:8 module"]), ("#if canImport(UIKit)\nimport UIKit\n#endif\n", []),
      ("import Foundation\nlet a = #selector(go)\n", ["2:9 objective_c"]),
      ("class A {\n  @IBOutlet var b: C!\n}\n", ["2:3 objective_c"]),
      ("  /* /* @objc */ @objc */ @objc func a() {}\n", ["1:27 attribute*"]),
      ("let a = \"\"\"\n  @objc \\(b(\"@objc\"))\n  \"\"\"\n@objc class B {}\n", ["4:1 attribute*"]),
      ("#if os(iOS)\nimport UIKit\nlet a: CLVisit\n#endif\n", ["1:1 condition"]),
      ("#if os(iOS) &&\nlet a: CLVisit\n#endif\n", []), ("#endif\n#else\n#if os(iOS)\nlet a: CLVisit\n", []),
      ("let dynamic = 1\ndynamic var a = 1\n", ["2:1 attribute*"]), ("import MyKit\nimport os\n", ["2:8 module"]),
    ])
  func places(_ text: String, _ expected: [String]) { #expect(Self.found(text) == expected) }

  @Test("a folder is copied and repaired; the original and an existing copy are not changed")
  func copy() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("porting-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: root) }
    let text = "import CoreLocation.CLVisit\n"
    for folder in ["/app/Sources", "/app/Pods", "/app/.build"] {
      try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: root + folder + "/A.swift"))
    }
    try Data([0xFF, 0xFE, 0x22]).write(to: URL(fileURLWithPath: root + "/app/Sources/B.swift"))
    let folder = try PortingFolder(root + "/app")
    #expect(folder.files == ["Sources/A.swift", "Sources/B.swift"])
    #expect(folder.differences.map(\.file) == ["Sources/A.swift"])
    #expect(try folder.copyRepaired(to: root + "/copy") == 1)
    #expect(try String(contentsOfFile: root + "/copy/Sources/A.swift", encoding: .utf8) == "import CoreLocation\n")
    #expect(try String(contentsOfFile: root + "/app/Sources/A.swift", encoding: .utf8) == text)
    #expect(try Data(contentsOf: URL(fileURLWithPath: root + "/copy/Sources/B.swift")).count == 3)
    #expect(throws: PortingFolder.Failure.self) { try folder.copyRepaired(to: root + "/copy") }
    #expect(throws: PortingFolder.Failure.self) { try folder.copyRepaired(to: root + "/app/inside") }
    #expect(throws: PortingFolder.Failure.self) { try PortingFolder(root + "/none") }
  }
}
