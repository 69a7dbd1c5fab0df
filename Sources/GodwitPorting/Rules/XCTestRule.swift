/// Finds `fulfillment(of:)` and `wait(for:)` without a timeout, for which XCTest has a default on Apple's systems only.
enum XCTestRule {
  static func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    text.identifiers(in: 0..<text.code.count).compactMap { name, start in
      guard let label = ["fulfillment": "(of:", "wait": "(for:"][name] else { return nil }
      let open = start + name.utf8.count
      guard text.code[open...].starts(with: label.utf8), let end = closing(text, open) else { return nil }
      let labels = text.identifiers(in: open..<end).map(\.name)
      guard !labels.contains("timeout"), !labels.contains("enforceOrder") else { return nil }
      return Diagnosis(
        kind: .xctest, offset: start, message: "XCTest of Linux has no default for timeout; give one",
        edits: [.init(range: end..<end, replacement: ", timeout: 86_400")])
    }
  }

  /// The offset of the parenthesis that closes the one at an offset; `nil`: there is none.
  private static func closing(_ text: SwiftText, _ open: Int) -> Int? {
    var depth = 0
    for index in open..<text.code.count {
      if text.code[index] == UInt8(ascii: "(") { depth += 1 }
      if text.code[index] == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
