/// Finds code that requires the Objective-C runtime.
enum ObjectiveCRule {
  /// Attributes that only make a declaration visible to Objective-C. Without them, only callers in Objective-C are affected.
  private static let visible: Set<String> = ["objc", "objcMembers", "nonobjc", "NSCopying", "UIApplicationMain", "GKInspectable"]
  private static let needed: Set<String> = ["IBOutlet", "IBAction", "IBInspectable", "IBDesignable", "NSManaged"]

  static func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    let absent = ImportRule.absentOnLinux(text)
    var found: [Diagnosis] = []
    for (name, start) in text.identifiers(in: 0..<text.code.count) where !absent.contains(where: { $0.contains(start) }) {
      let sign = start > 0 ? text.code[start - 1] : 0
      if sign == UInt8(ascii: "@") {
        if visible.contains(name) {
          found.append(attribute(name, start, text))
        } else if needed.contains(name) {
          found.append(
            Diagnosis(kind: .objectiveC, offset: start - 1, message: "@\(name) needs Objective-C, which Linux does not have"))
        }
      } else if sign == UInt8(ascii: "#"), name == "selector" || name == "keyPath" {
        found.append(
          Diagnosis(
            kind: .objectiveC, offset: start - 1,
            message: "#\(name) needs Objective-C; pass a closure (a block of NotificationCenter, Timer or DispatchQueue)"))
      } else if name == "dynamic", isModifier(text, start, name) {
        found.append(
          Diagnosis(
            kind: .attribute, offset: start, message: "dynamic needs Objective-C; observe the value with didSet",
            edits: [removal(start..<start + name.utf8.count, text)]))
      }
    }
    return found
  }

  private static func attribute(_ name: String, _ start: Int, _ text: SwiftText) -> Diagnosis {
    var end = start + name.utf8.count
    // Includes the argument of `@objc(name)`, but not the parameters of a closure's type after a space.
    if end < text.code.count, text.code[end] == UInt8(ascii: "(") {
      while end < text.code.count, text.code[end] != UInt8(ascii: ")"), text.code[end] != 0x0A { end += 1 }
      end = min(end + 1, text.code.count)
    }
    if isOptionalRequirement(text, end) {
      return Diagnosis(
        kind: .objectiveC, offset: start - 1,
        message: "requirements of a protocol are optional in Objective-C only; give it an implementation in an extension")
    }
    return Diagnosis(
      kind: .attribute, offset: start - 1, message: "Linux has no Objective-C; remove @\(name)",
      edits: [removal(start - 1..<end, text)])
  }

  /// `@objc optional func`
  private static func isOptionalRequirement(_ text: SwiftText, _ end: Int) -> Bool {
    let line = text.lineRange(at: max(0, end - 1))
    return text.identifiers(in: end..<max(end, line.upperBound)).first?.name == "optional"
  }

  private static func isModifier(_ text: SwiftText, _ start: Int, _ name: String) -> Bool {
    let end = start + name.utf8.count
    let line = text.lineRange(at: start)
    let next = text.identifiers(in: end..<line.upperBound).first?.name ?? ""
    return ["var", "func", "class", "private", "public", "internal", "open", "override", "fileprivate", "static"].contains(next)
  }

  /// The removal of a word and the space after it, or of the whole line if it contains nothing else.
  private static func removal(_ range: Range<Int>, _ text: SwiftText) -> Diagnosis.Edit {
    var end = range.upperBound
    while end < text.code.count, SwiftText.isSpace(text.code[end]) { end += 1 }
    let line = text.lineRange(at: range.lowerBound)
    let isAlone =
      end >= line.upperBound && text.bytes[line.lowerBound..<range.lowerBound].allSatisfy(SwiftText.isSpace)
      && text.bytes[range.upperBound..<line.upperBound].allSatisfy(SwiftText.isSpace)
    guard isAlone, line.upperBound < text.bytes.count else {
      return .init(range: range.lowerBound..<min(end, line.upperBound), replacement: "")
    }
    return .init(range: line.lowerBound..<line.upperBound + 1, replacement: "")
  }
}
