internal import Foundation

/// Values for options that are missing on the command line: from the environment, otherwise from a configuration file.
@MainActor
struct ArgumentSources {
  let environment: [String: String]
  let file: ConfigurationFile?

  /// The variable with the path of the file.
  nonisolated static let fileVariable = "GODWIT_CONFIG"

  /// The option with the path of the file, for each command with configurable options.
  static func fileOption(program: String) -> OptionalOption<String> {
    OptionalOption(
      "config", "FILE",
      "Configuration file with options (default: $\(fileVariable), or \(ConfigurationFile.standard(program: program)))")
  }

  /// Returns the variable of an option: `GODWIT_TLS_KEY` for `--tls-key`.
  nonisolated static func variable(of option: String) -> String { "GODWIT_" + option.uppercased().replacing("-", with: "_") }

  /// - Parameters:
  ///   - named: Path given on the command line.
  ///   - standard: Default path, used if the file exists and is readable.
  init(environment: [String: String], named: String?, standard: String?) throws(UsageError) {
    self.environment = environment
    let variable = environment[Self.fileVariable] ?? ""
    let path =
      named ?? (variable.isEmpty ? nil : variable)
      ?? standard.flatMap { FileManager.default.isReadableFile(atPath: $0) ? $0 : nil }
    do throws(ConfigurationFile.Fault) { file = try path.map(ConfigurationFile.init(path:)) } catch {
      throw UsageError("\(error)")
    }
  }

  init(file: ConfigurationFile) { (environment, self.file) = ([:], file) }

  /// Sets the value of each declared option that has none yet.
  func complete(_ declared: [any DeclaredArgument], of configured: [ConfiguredOptions]) throws(UsageError) {
    let given = Set(declared.filter(\.isGiven).map(\.declaration.name))
    for part in configured {
      let section = file?.sections.first { $0.name == part.section }
      if part.isWhole, let fault = faults(of: section, among: declared).first { throw fault }
      if let flag = part.flag, !given.contains(flag) { continue }
      for argument in declared where !argument.isGiven && argument.declaration.isOption {
        guard let name = part.name(of: argument.declaration.name) else { continue }
        if let replacement = argument.declaration.replacement, given.contains(replacement) { continue }
        if try fill(argument, fromVariable: Self.variable(of: name)) { continue }
        if let entry = section?.entries.first(where: { $0.name == name }) { try fill(argument, from: entry) }
      }
    }
  }

  private func fill(_ argument: any DeclaredArgument, fromVariable name: String) throws(UsageError) -> Bool {
    guard let text = environment[name], !text.isEmpty else { return false }
    let values = argument.declaration.isRepeatable ? text.split(separator: ",").map(String.init) : [text]
    do throws(UsageError) { for value in values { try argument.parse(value) } } catch { throw UsageError("$\(name): \(error)") }
    return true
  }

  private func fill(_ argument: any DeclaredArgument, from entry: ConfigurationFile.Entry) throws(UsageError) {
    guard let file else { return }
    if entry.isList, !argument.declaration.isRepeatable { throw UsageError("\(file.place(entry)) takes one value, not a list") }
    do throws(UsageError) { for value in entry.values { try argument.parse(value) } } catch {
      throw UsageError("\(file.place(entry)): \(error)")
    }
  }

  /// Returns an error for each entry of a section that is not an option of the command.
  private func faults(of section: ConfigurationFile.Section?, among declared: [any DeclaredArgument]) -> [UsageError] {
    guard let section, let file else { return [] }
    let known = declared.filter(\.declaration.isOption).map(\.declaration.name)
    return section.entries.filter { !known.contains($0.name) }.map { entry in
      UsageError(
        "\(file.place(entry)) is no option of \(section.name)." + Parser.nearest(to: entry.name, among: known))
    }
  }

  // MARK: Checking

  /// Returns all errors in a section. Each value is parsed.
  func faults(in section: ConfigurationFile.Section, of declared: [any DeclaredArgument]) -> [UsageError] {
    var faults = faults(of: section, among: declared)
    for entry in section.entries {
      guard let argument = declared.first(where: { $0.declaration.isOption && $0.declaration.name == entry.name }) else {
        continue
      }
      do throws(UsageError) { try fill(argument, from: entry) } catch { faults.append(error) }
    }
    return faults
  }
}
