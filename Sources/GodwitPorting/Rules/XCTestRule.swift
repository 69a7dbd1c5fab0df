/// Arguments that XCTest has a default for on Apple's systems only.
enum XCTestRule {
  static func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    text.identifiers(in: 0..<text.code.count).compactMap { name, start in
      let end = start + name.utf8.count
      guard name == "XCTestExpectation", text.code[end...].starts(with: Array("()".utf8)) else { return nil }
      return Diagnosis(
        kind: .xctest, offset: start,
        message: "XCTest of Linux has no default description; write XCTestExpectation(description: \"\")",
        edits: [.init(range: end..<end + 2, replacement: "(description: \"\")")])
    }
  }
}
