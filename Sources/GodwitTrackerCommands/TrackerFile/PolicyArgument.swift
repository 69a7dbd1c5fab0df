internal import Foundation
internal import GodwitCommandLine
package import GodwitModel

/// A policy on the command line: one of the names, or a JSON file of settings, as `godwit track` reads them.
package enum PolicyArgument {
  /// - Throws: ``Failure`` that names what is wrong and what is expected.
  package static func read(_ argument: String) throws -> Policy {
    if let known = Policy.named(argument) { return known }
    guard argument.hasSuffix(".json") else {
      let names = Policy.all.map(\.name).joined(separator: ", ")
      throw Failure("\"\(argument)\" is not a policy; expected one of \(names), or a file that ends in .json.")
    }
    // What `godwit track --tracker-file` reads has endpoints beside the settings; what `--settings` reads has settings alone.
    let members = try JSONMembers(file: argument)
    let isConfiguration = members.has("settings") || members.has("endpoints")
    let settings = isConfiguration ? try TrackerFile(path: argument).settings : try SettingsFile.read(argument)
    let name = URL(fileURLWithPath: argument).deletingPathExtension().lastPathComponent
    return Policy(name: name, summary: "The settings of \(argument).", settings: settings)
  }
}
