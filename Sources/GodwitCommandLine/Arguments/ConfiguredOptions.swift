/// The options of a command that the environment and a configuration file may give.
package struct ConfiguredOptions: Sendable {
  /// The section of the file: the name of the command whose options it holds.
  let section: String
  /// `nil`: all options of the command.
  private let names: Set<String>?
  /// Options whose value in the file does not count where the command line gives another one, by the option: a folder of data on
  /// the command line is meant instead of the database in the file.
  private let replaced: [String: String]

  /// All options of the command that has the section.
  package static func all(of section: String, replacing replaced: [String: String] = [:]) -> ConfiguredOptions {
    ConfiguredOptions(section: section, names: nil, replaced: replaced)
  }

  /// Options of another command that mean the same here.
  package static func only(
    _ names: Set<String>, of section: String, replacing replaced: [String: String] = [:]
  ) -> ConfiguredOptions {
    ConfiguredOptions(section: section, names: names, replaced: replaced)
  }

  /// Whether this command's options are the section: it knows all names in it.
  var isWhole: Bool { names == nil }

  func has(_ name: String) -> Bool { names?.contains(name) ?? true }

  /// - Parameter given: options of the command line.
  func isReplaced(_ name: String, by given: Set<String>) -> Bool { replaced[name].map { given.contains($0) } ?? false }
}
