internal import GodwitModel

/// Parses a command line: finds the command, and passes each word to the argument that declares it.
@MainActor
enum Parser {
  enum Outcome {
    case run(any Command)
    /// Help or the version was requested.
    case help(String)
  }

  static let versionOption = "--version"

  /// - Parameter environment: Environment variables with values of options and the path of the configuration file.
  static func parse(
    _ words: [String], root: any Command.Type, environment: [String: String]
  ) throws(UsageError) -> Outcome {
    if words == [versionOption] { return .help("\(root.name) \(Version.current)\n") }
    var type = root
    var path: [String] = [root.name]
    var rest = words[...]
    // `help COMMAND SUBCOMMAND` and `COMMAND help SUBCOMMAND` request the help of a command.
    var isHelp = false
    while let word = rest.first, !word.hasPrefix("-"), isHelp || !type.subcommands.isEmpty {
      if let next = type.subcommands.first(where: { $0.name == word }) {
        type = next
        path.append(word)
      } else if word == "help", isHelp || !type.runsItself {
        isHelp = true
      } else if type.runsItself, !isHelp {
        break
      } else {
        let name = path.joined(separator: " ")
        let near = nearest(to: word, among: type.subcommands.map { $0.name })
        throw UsageError("\(name) has no command \"\(word)\".\(near) See \(name) --help.")
      }
      rest = rest.dropFirst()
    }
    let name = path.joined(separator: " ")
    let help = Outcome.help(Help.text(of: CommandTree(type, below: path.dropLast(), root: root)))
    if isHelp { return help }
    if !type.subcommands.isEmpty, !type.runsItself {
      guard let word = rest.first, !rest.contains(where: helpOptions.contains) else { return help }
      throw UsageError("\(name) does not know \(word). See \(name) --help.")
    }
    let command = type.init()
    if requestsHelp(Array(rest), of: command, program: root.name) { return help }
    do throws(UsageError) { try fill(command, from: Array(rest), program: root.name, environment: environment) } catch {
      // An error text such as "unknown option --x. Did you mean …?" already ends with a punctuation mark.
      let end = error.description.last.map { ".?".contains($0) } == true ? "" : "."
      throw UsageError("\(name): \(error)\(end) See \(name) --help.")
    }
    return .run(command)
  }

  private static let helpOptions = ["--help", "-h"]

  /// Returns whether the words request help: by an option in the place of an option, or by `help` for a command without operands.
  private static func requestsHelp(_ words: [String], of command: any Command, program: String) -> Bool {
    var declared = arguments(of: command)
    if declared.allSatisfy(\.declaration.isOption), words.first == "help" { return true }
    declared.append(ArgumentSources.fileOption(program: program))
    var index = 0
    while index < words.count, words[index] != "--" {
      if helpOptions.contains(words[index]) { return true }
      let argument = declared.first { "--" + $0.declaration.name == words[index] }
      // The word after an option that takes a value is that value.
      if case .option = argument?.declaration.form { index += 1 }
      index += 1
    }
    return false
  }

  private static func fill(
    _ command: any Command, from words: [String], program: String, environment: [String: String]
  ) throws(UsageError) {
    let declared = arguments(of: command)
    let configured = type(of: command).configured
    if configured.isEmpty {
      try fill(declared, from: words)
    } else {
      let file = ArgumentSources.fileOption(program: program)
      try fill(declared + [file], from: words)
      let sources = try ArgumentSources(
        environment: environment, named: file.wrappedValue, standard: ConfigurationFile.standard(program: program))
      try sources.complete(declared, of: configured)
    }
    for argument in declared { if let missing = argument.missing { throw UsageError(missing) } }
  }

  /// Returns the declared arguments of a command that runs; none for a command that only has subcommands.
  static func arguments(ofRunning type: any Command.Type) -> [any DeclaredArgument] {
    type.subcommands.isEmpty || type.runsItself ? arguments(of: type.init()) : []
  }

  /// Returns the declared arguments of a command in the order of declaration, including those of its option groups.
  static func arguments(of command: any Command) -> [any DeclaredArgument] { arguments(in: command) }

  private static func arguments(in declaring: Any) -> [any DeclaredArgument] {
    Mirror(reflecting: declaring).children.flatMap { child -> [any DeclaredArgument] in
      if let argument = child.value as? any DeclaredArgument { return [argument] }
      return child.value is any OptionGroup ? arguments(in: child.value) : []
    }
  }

  private static func fill(_ declared: [any DeclaredArgument], from words: [String]) throws(UsageError) {
    var index = 0
    var onlyOperands = false
    while index < words.count {
      let word = words[index]
      index += 1
      if !onlyOperands, word == "--" {
        onlyOperands = true
        continue
      }
      guard !onlyOperands, word.hasPrefix("-"), word.count > 1 else {
        guard let operands = declared.first(where: { !$0.declaration.isOption }) else {
          throw UsageError("\"\(word)\" is an unexpected argument")
        }
        try operands.parse(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let argument = declared.first(where: { "--" + $0.declaration.name == parts[0] }) else {
        throw UsageError(
          "unknown option \(parts[0])." + nearest(to: parts[0], among: declared.map { "--" + $0.declaration.name }))
      }
      switch argument.declaration.form {
      case .flag:
        guard parts.count == 1 else { throw UsageError("\(parts[0]) takes no value") }
        try argument.parse(nil)
      case .option, .operands:
        var value: String? = parts.count > 1 ? parts[1] : nil
        // A value may begin with "-", but an option of the command in its place means that the value is missing.
        if value == nil, index < words.count, !isOption(words[index], among: declared) {
          value = words[index]
          index += 1
        }
        guard let value else { throw UsageError("\(parts[0]) needs a value") }
        do throws(UsageError) { try argument.parse(value) } catch { throw UsageError("\(parts[0]): \(error)") }
      }
    }
  }

  private static func isOption(_ word: String, among declared: [any DeclaredArgument]) -> Bool {
    guard word.hasPrefix("-") else { return false }
    let name = word.prefix { $0 != "=" }
    return helpOptions.contains(word) || declared.contains { $0.declaration.isOption && "--" + $0.declaration.name == name }
  }

  /// Returns " Did you mean …?", or an empty text.
  static func nearest(to word: String, among known: [String]) -> String {
    let best = known.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= 2 else { return "" }
    return " Did you mean \(best.0)?"
  }

  /// Returns the Levenshtein distance of two texts.
  private static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var row = Array(0...b.count)
    for i in 0..<a.count {
      var diagonal = row[0]
      row[0] = i + 1
      for j in 0..<b.count {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.count]
  }
}
