/// Finds code that is compiled for iOS and not for Linux: `#if os(iOS)`.
enum ConditionRule {
  static func diagnoses(_ text: SwiftText) -> [Diagnosis] {
    let isAboutLocation = imports(text)
    return ConditionalBlock.all(in: text).compactMap { block in
      guard let wanted = block.taken(Platform.iOS.holds), wanted != block.taken(Platform.linux.holds) else { return nil }
      let branch = block.branches[wanted]
      guard isAboutLocation || mentions(branch.body, text) else { return nil }
      let (names, repair) = (needs(branch.body, text), edits(of: block, upTo: wanted, text))
      if names.isEmpty, !repair.isEmpty {
        return Diagnosis(
          kind: .condition, offset: branch.directive.lowerBound,
          message: "a build on Linux leaves this code out; write os(iOS) || os(Linux)", edits: repair)
      }
      guard mentions(branch.body, text) else { return nil }
      let reason = names.isEmpty ? "" : ", and it needs \(names.joined(separator: ", "))"
      return Diagnosis(
        kind: .condition, offset: branch.directive.lowerBound, message: "a build on Linux leaves this code out\(reason)")
    }
  }

  /// Whether a file imports Core Location or Core Motion. Then all its code for iOS is checked.
  private static func imports(_ text: SwiftText) -> Bool {
    text.identifiers(in: 0..<text.code.count).contains { name, start in
      (name == "CoreLocation" || name == "CoreMotion") && ImportRule.isImport(text, at: start)
    }
  }

  /// Whether a part of the code uses a name of Core Location or Core Motion.
  private static func mentions(_ body: Range<Int>, _ text: SwiftText) -> Bool {
    text.identifiers(in: body).contains { name, _ in
      ["CL", "CM", "kCL"].contains { isOf($0, name) } || name.hasPrefix("locationManager")
    }
  }

  private static func isOf(_ prefix: String, _ name: String) -> Bool {
    guard name.hasPrefix(prefix), let next = name.dropFirst(prefix.count).first else { return false }
    return next.isUppercase
  }

  /// The names in the code that Linux does not have, at most three: frameworks, or types of frameworks.
  private static func needs(_ body: Range<Int>, _ text: SwiftText) -> [String] {
    var found: [String] = []
    for (name, start) in text.identifiers(in: body) {
      let isImported = AppleModules.names.contains(name) && ImportRule.isImport(text, at: start)
      let isType =
        ["UI", "WK", "MK", "UN", "NSUI", "AV", "HK"].contains { isOf($0, name) }
        && name.dropFirst(2).contains(where: \.isLowercase)
      if isImported || isType, !found.contains(name) { found.append(name) }
    }
    return Array(found.prefix(3))
  }

  /// The edits that replace `os(iOS)` in the deciding conditions with `os(iOS) || os(Linux)`.
  private static func edits(of block: ConditionalBlock, upTo wanted: Int, _ text: SwiftText) -> [Diagnosis.Edit] {
    var edits: [Diagnosis.Edit] = []
    for branch in block.branches[...wanted] {
      for test in branch.condition?.tests() ?? [] where test.name == "os" && test.argument == "iOS" {
        let replacement = test.isAlternative ? "os(iOS) || os(Linux)" : "(os(iOS) || os(Linux))"
        edits.append(.init(range: test.range, replacement: replacement))
      }
    }
    return decides(block, edits, text) ? edits : []
  }

  /// Whether Linux compiles the branch of iOS after the edits.
  private static func decides(_ block: ConditionalBlock, _ edits: [Diagnosis.Edit], _ text: SwiftText) -> Bool {
    guard !edits.isEmpty else { return false }
    return block.taken(Platform.iOS.holds)
      == block.taken { name, argument in name == "os" && argument == "iOS" ? true : Platform.linux.holds(name, argument) }
  }
}
