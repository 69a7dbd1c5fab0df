/// A Swift file of an app for Apple's systems, checked for Godwit's Core Location on Linux.
package struct PortingSource: Sendable {
  /// The path that differences contain.
  private let path: String
  private let bytes: [UInt8]

  /// - Parameters:
  ///   - path: the path for differences.
  ///   - bytes: the content of the file.
  package init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

  /// The places that do not compile on Linux, or are not compiled there, in the order of the file.
  package var differences: [PortingDifference] {
    let text = SwiftText(bytes)
    return diagnoses(text).map { diagnosis in
      let (line, column) = text.position(of: diagnosis.offset)
      return PortingDifference(
        kind: diagnosis.kind, file: path, line: line, column: column, source: text.line(at: diagnosis.offset),
        message: diagnosis.message,
        isRepairable: diagnosis.isRepairable)
    }
  }

  /// The content of the file with all automatic changes.
  package var repaired: [UInt8] {
    var bytes = bytes
    var last = Int.max
    let edits = diagnoses(SwiftText(bytes)).flatMap(\.edits).sorted { $0.range.lowerBound > $1.range.lowerBound }
    for edit in edits where edit.range.upperBound <= last {
      bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
      last = edit.range.lowerBound
    }
    return bytes
  }

  private func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    let all =
      ConditionRule.diagnoses(text) + ImportRule.diagnoses(text)
      + ObjectiveCRule.diagnoses(text)
      + FoundationRule.diagnoses(text) + XCTestRule.diagnoses(text)
    return all.sorted { $0.offset < $1.offset }
  }
}
