/// Options of a command that can be set in the environment and in a configuration file.
package struct ConfiguredOptions: Sendable {
  /// Section of the file: the name of the command with these options.
  let section: String
  /// `nil` for all options of the command.
  private let names: Set<String>?

  /// Returns all options of the command with the section.
  package static func all(of section: String) -> ConfiguredOptions { ConfiguredOptions(section: section, names: nil) }

  /// Returns options of another command's section that have the same meaning here.
  package static func only(_ names: Set<String>, of section: String) -> ConfiguredOptions {
    ConfiguredOptions(section: section, names: names)
  }

  /// Whether the section belongs to this command, so that all names in it must be known.
  var isWhole: Bool { names == nil }

  func has(_ name: String) -> Bool { names?.contains(name) ?? true }
}
