internal import Foundation
internal import GodwitCommandLine
package import GodwitModel

/// A policy argument: a name, or a JSON file for `--settings` or `--tracker-file` of `godwit track`.
package enum PolicyArgument {
  /// - Throws: ``Failure`` with the error and the expected value.
  package static func read(_ argument: String) throws -> Policy {
    if let known = Policy.named(argument) { return known }
    guard argument.hasSuffix(".json") else {
      let names = Policy.all.map(\.name).joined(separator: ", ")
      throw Failure("\"\(argument)\" is not a policy; expected one of \(names), or a file that ends in .json.")
    }
    let settings = try TrackerFile.settings(in: argument)
    let name = URL(fileURLWithPath: argument).deletingPathExtension().lastPathComponent
    return Policy(name: name, summary: "The settings of \(argument).", settings: settings)
  }
}
