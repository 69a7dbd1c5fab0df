/// Options of a command that can be set in the environment and in a configuration file.
package struct ConfiguredOptions: Sendable {
  /// Section of the file: the name of the command with these options.
  let section: String
  /// Names in the section by the names of the options here; `nil` for all options of the command.
  private let names: [String: String]?
  /// A flag without which the options are not read; `nil` if they are always read.
  let flag: String?

  /// Returns all options of the command with the section.
  package static func all(of section: String) -> ConfiguredOptions {
    ConfiguredOptions(section: section, names: nil, flag: nil)
  }

  /// Returns options of another command's section that have the same meaning here.
  package static func only(_ names: Set<String>, of section: String) -> ConfiguredOptions {
    ConfiguredOptions(section: section, names: Dictionary(uniqueKeysWithValues: names.map { ($0, $0) }), flag: nil)
  }

  /// Returns options of another command's section that have other names here.
  /// - Parameters:
  ///   - names: Names in the section by the names here.
  ///   - section: The section.
  ///   - flag: A flag of the command without which it accepts none of these options.
  package static func renamed(_ names: [String: String], of section: String, with flag: String) -> ConfiguredOptions {
    ConfiguredOptions(section: section, names: names, flag: flag)
  }

  /// Whether the section belongs to this command, so that all names in it must be known.
  var isWhole: Bool { names == nil }

  /// Returns the name in the section of an option; `nil` if it is not one of these options.
  func name(of option: String) -> String? {
    guard let names else { return option }
    return names[option]
  }
}
