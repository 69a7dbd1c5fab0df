/// Finds imports of modules that Linux does not have, and imports of submodules of Core Location.
enum ImportRule {
  static func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    let absent = absentOnLinux(text)
    return text.lines.compactMap { line in
      guard let (module, part) = imported(text, line), !absent.contains(where: { $0.overlaps(line) }) else { return nil }
      let name = String(decoding: text.code[module], as: UTF8.self)
      if AppleModules.names.contains(name) {
        return Diagnosis(
          kind: .module, offset: module.lowerBound,
          message: "Linux has no \(name); keep what needs it in files of their own, or below #if canImport(\(name))")
      }
      guard ["CoreLocation", "CoreMotion"].contains(name), !part.isEmpty else { return nil }
      return Diagnosis(
        kind: .submodule, offset: module.lowerBound, message: "modules of Swift have no submodules; import \(name)",
        edits: [.init(range: part, replacement: "")])
    }
  }

  /// Whether the identifier at an offset is the module of an import.
  static func isImport(_ text: SwiftText, at offset: Int) -> Bool {
    imported(text, text.lineRange(at: offset))?.module.lowerBound == offset
  }

  /// The module that a line imports; `nil`: the line is not an import.
  static func module(_ text: SwiftText, _ line: Range<Int>) -> String? {
    imported(text, line).map { String(decoding: text.code[$0.module], as: UTF8.self) }
  }

  /// The module in `import CoreLocation.CLLocation` and the rest from the dot. The rest is empty for `import class
  /// CoreLocation.CLLocation`, which is valid on all systems.
  private static func imported(_ text: SwiftText, _ line: Range<Int>) -> (module: Range<Int>, part: Range<Int>)? {
    let names = text.identifiers(in: line)
    guard let place = names.firstIndex(where: { $0.name == "import" }),
      names[..<place].allSatisfy({ attributes.contains($0.name) }),
      names.count > place + 1
    else { return nil }
    let isSingle = kinds.contains(names[place + 1].name) && names.count > place + 2
    let (name, start) = names[place + (isSingle ? 2 : 1)]
    let end = start + name.utf8.count
    var rest = end
    while rest < line.upperBound, SwiftText.continuesName(text.code[rest]) || text.code[rest] == UInt8(ascii: ".") { rest += 1 }
    return (start..<end, end..<(isSingle ? end : rest))
  }

  private static let attributes: Set<String> = [
    "testable", "preconcurrency", "_exported", "_implementationOnly", "public", "package", "internal", "private", "fileprivate",
  ]
  private static let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "func", "let", "var"]

  /// The branches of `#if` that Linux does not compile.
  static func absentOnLinux(_ text: SwiftText) -> [Range<Int>] {
    ConditionalBlock.all(in: text).flatMap { block -> [Range<Int>] in
      if let taken = block.taken(Platform.linux.holds) {
        return block.branches.indices.filter { $0 != taken }.map { block.branches[$0].body }
      }
      return block.branches.filter { $0.condition?.value(Platform.linux.holds) == false }.map(\.body)
    }
  }
}
