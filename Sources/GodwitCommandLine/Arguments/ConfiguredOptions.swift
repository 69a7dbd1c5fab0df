/// The options of a command that the environment and a configuration file may give.
package struct ConfiguredOptions: Sendable {
  /// The section of the file: the name of the command whose options it holds.
  let section: String
  /// `nil`: all options of the command.
  private let names: Set<String>?

  /// All options of the command that has the section.
  package static func all(of section: String) -> ConfiguredOptions { ConfiguredOptions(section: section, names: nil) }

  /// Options of another command that mean the same here.
  package static func only(_ names: Set<String>, of section: String) -> ConfiguredOptions {
    ConfiguredOptions(section: section, names: names)
  }

  /// Whether this command's options are the section: it knows all names in it.
  var isWhole: Bool { names == nil }

  func has(_ name: String) -> Bool { names?.contains(name) ?? true }
}
