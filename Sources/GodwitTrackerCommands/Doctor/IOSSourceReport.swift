internal import Foundation
internal import GodwitCommandLine
internal import GodwitPorting

/// `godwit doctor --ios-source DIR`
package struct IOSSourceReport {
  private let folder: String
  /// Where the repaired copy goes; `nil`: none is made.
  private let copy: String?
  private let json: Bool

  package init(folder: String, copy: String?, json: Bool) { (self.folder, self.copy, self.json) = (folder, copy, json) }

  /// Prints what Linux treats differently, with the repair of each.
  /// - Throws: ``Failure`` where something is left to do, a folder cannot be read, or the copy cannot be written.
  package func run() throws {
    let sources = try named { () throws(PortingFolder.Failure) in try PortingFolder(folder) }
    let findings = sources.findings
    var changed: Int?
    if let copy { changed = try named { () throws(PortingFolder.Failure) in try sources.copyRepaired(to: copy) } }
    if json { try printJSON(findings) } else { printText(findings, files: sources.files.count) }
    let left = findings.filter { copy == nil || !$0.isRepairable }
    if let changed, let copy, !json {
      Output.log("\(changed) files changed in \(copy). Places that need a decision: \(left.count).")
    }
    guard left.isEmpty else {
      throw Failure(
        "Linux treats \(left.count) places of \(folder) differently."
          + (copy == nil ? " --fix COPY repairs those marked with *." : ""))
    }
  }

  private func named<Value>(_ body: () throws(PortingFolder.Failure) -> Value) throws -> Value {
    do { return try body() } catch { throw Failure("\(error)") }
  }

  private func printText(_ findings: [PortingFinding], files: Int) {
    for finding in findings {
      Output.result(
        "\(finding.file):\(finding.line):\(finding.column):\(finding.isRepairable ? "*" : "") \(finding.message)\n    \(finding.source)\n"
      )
    }
    let counts = PortingFinding.Kind.allCases.compactMap { kind -> String? in
      let count = findings.filter { $0.kind == kind }.count
      return count == 0 ? nil : "\(count) \(kind.title)"
    }
    Output.result("\(files) Swift files: " + (counts.isEmpty ? "nothing to change" : counts.joined(separator: ", ")) + ".\n")
  }

  private func printJSON(_ findings: [PortingFinding]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    Output.result(Array(try encoder.encode(findings)) + [0x0A])
  }
}

extension PortingFinding.Kind {
  fileprivate var title: String {
    switch self {
    case .optionalCall: "optional calls of the delegate"
    case .condition: "conditions that leave code out"
    case .submodule: "imports of a submodule"
    case .attribute: "attributes of Objective-C"
    case .objectiveC: "uses of Objective-C"
    case .module: "imports of frameworks that Linux lacks"
    case .foundation: "uses of Foundation"
    case .xctest: "calls of XCTest"
    }
  }
}
