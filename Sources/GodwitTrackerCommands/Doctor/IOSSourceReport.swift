internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitPorting

/// `godwit doctor --ios-source DIR`
package struct IOSSourceReport {
  private let folder: String
  /// Folder of the repaired copy; `nil` to make no copy.
  private let copy: String?
  private let json: Bool

  package init(folder: String, copy: String?, json: Bool) { (self.folder, self.copy, self.json) = (folder, copy, json) }

  /// Prints the places that Linux treats differently, and whether each can be repaired.
  /// - Throws: ``Failure`` if places remain, a folder cannot be read, or the copy cannot be written.
  package func run() throws {
    let sources = try named { () throws(PortingFolder.Failure) in try PortingFolder(folder) }
    let differences = sources.differences
    var changed: Int?
    if let copy { changed = try named { () throws(PortingFolder.Failure) in try sources.copyRepaired(to: copy) } }
    if json { try printJSON(differences) } else { printText(differences, files: sources.files.count) }
    let left = differences.filter { copy == nil || !$0.isRepairable }
    if let changed, let copy, !json {
      Output.log("\(changed.counted("file")) changed in \(copy). Places that need a decision: \(left.count).")
    }
    guard left.isEmpty else {
      throw Failure(
        "Linux treats \(left.count.counted("place")) of \(folder) differently."
          + (copy == nil ? " --fix COPY repairs those marked with *." : ""))
    }
  }

  private func named<Value>(_ body: () throws(PortingFolder.Failure) -> Value) throws -> Value {
    do { return try body() } catch { throw Failure("\(error)") }
  }

  private func printText(_ differences: [PortingDifference], files: Int) {
    for difference in differences {
      Output.result(
        "\(difference.file):\(difference.line):\(difference.column):\(difference.isRepairable ? "*" : "") \(difference.message)\n    \(difference.source)\n"
      )
    }
    let counts = PortingDifference.Kind.allCases.compactMap { kind -> String? in
      let count = differences.filter { $0.kind == kind }.count
      return count == 0 ? nil : "\(count) \(kind.title)"
    }
    Output.result("\(files) Swift files: " + (counts.isEmpty ? "nothing to change" : counts.joined(separator: ", ")) + ".\n")
  }

  private func printJSON(_ differences: [PortingDifference]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    Output.result(Array(try encoder.encode(differences)) + [0x0A])
  }
}

extension PortingDifference.Kind {
  fileprivate var title: String {
    switch self {
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
