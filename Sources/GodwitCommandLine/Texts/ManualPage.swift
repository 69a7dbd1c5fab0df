internal import GodwitModel

/// A manual page in the macros of man(7): a command with its subcommands, or the program with a list of its commands.
struct ManualPage: Sendable {
  /// File name, for example `godwit-device.1`.
  let file: String
  let text: String

  /// Returns the pages of a program: its own page, and one for each command.
  static func all(of root: CommandTree) -> [ManualPage] {
    [ManualPage(root, in: root)] + root.subcommands.map { ManualPage($0, in: root) }
  }

  private init(_ command: CommandTree, in root: CommandTree) {
    let title = command.path.joined(separator: "-")
    file = "\(title).1"
    var page = Roff()
    page.request("TH", title.uppercased(), "1", "", "\(root.name) \(Version.current)", "Godwit")
    // The text is not justified, because long options and addresses leave no spaces to adjust.
    page.request("ad", "l")
    page.request("SH", "NAME")
    page.line("\(title) - \(command.abstract.trimmingSuffix("."))")
    page.request("SH", "SYNOPSIS")
    page.synopsis(command.usage)
    if !command.discussion.isEmpty {
      page.request("SH", "DESCRIPTION")
      page.paragraphs(command.discussion)
    }
    if command.path.count == 1 {
      page.request("SH", "COMMANDS")
      for below in command.subcommands { page.entry(title: below.name, value: nil, below.abstract) }
    }
    page.arguments(of: command)
    if command.path.count > 1 { for below in command.all.dropFirst() { page.section(below) } }
    page.examples(command.examples)
    page.request("SH", "EXIT STATUS")
    for (status, meaning) in [("0", "Done."), ("1", "Failed."), ("2", "Wrong usage.")] {
      page.entry(title: status, value: nil, meaning)
    }
    page.request("SH", "SEE ALSO")
    let others = command.path.count == 1 ? command.subcommands.map { "\(root.name)-\($0.name)" } : [root.name]
    page.line(others.map { "\($0)(1)" }.joined(separator: ", "))
    text = page.text
  }
}

/// Lines of roff. Texts are escaped according to groff_char(7): a literal hyphen is `\-`.
private struct Roff {
  private(set) var text = ""

  mutating func request(_ name: String, _ arguments: String...) {
    let words = arguments.map { word in
      let escaped = Self.escaped(word).replacing("\"", with: "\\(dq")
      return escaped.isEmpty || escaped.contains(" ") ? "\"\(escaped)\"" : escaped
    }
    text += ".\(([name] + words).joined(separator: " "))\n"
  }

  mutating func line(_ line: String) {
    let line = Self.escaped(line)
    text += (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
  }

  mutating func paragraphs(_ paragraphs: String) {
    for line in paragraphs.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty { request("PP") } else { self.line(String(line)) }
    }
  }

  /// Adds a command line. Lines are broken only between options.
  mutating func synopsis(_ usage: String) {
    request("nh")
    line(usage)
    request("hy")
  }

  mutating func entry(title: String, value: String?, _ meaning: String) {
    request("TP")
    text += "\\fB\(Self.escaped(title))\\fR" + (value.map { " \\fI\(Self.escaped($0))\\fR" } ?? "") + "\n"
    line(meaning)
  }

  mutating func arguments(of command: CommandTree, isSection: Bool = true) {
    if !command.operands.isEmpty {
      if isSection { request("SH", "ARGUMENTS") }
      for operand in command.operands { entry(title: operand.name, value: nil, operand.help) }
    }
    let options = isSection ? command.options : command.options.filter { $0.name != "--help" }
    guard !options.isEmpty else { return }
    if isSection { request("SH", "OPTIONS") }
    for option in options { entry(title: option.name, value: option.value, option.help) }
  }

  /// Adds a subcommand of the page's command.
  mutating func section(_ command: CommandTree) {
    request("SH", command.path.dropFirst().joined(separator: " ").uppercased())
    line(command.abstract)
    request("PP")
    synopsis(command.usage)
    if !command.discussion.isEmpty {
      request("PP")
      paragraphs(command.discussion)
    }
    arguments(of: command, isSection: false)
    examples(command.examples, isSection: false)
  }

  mutating func examples(_ examples: [(line: String, purpose: String)], isSection: Bool = true) {
    guard !examples.isEmpty else { return }
    if isSection { request("SH", "EXAMPLES") }
    for example in examples {
      request("PP")
      line("\(example.purpose):")
      request("PP")
      request("RS", "4")
      request("nf")
      line(example.line)
      request("fi")
      request("RE")
    }
  }

  /// Returns at least four hexadecimal digits, as in groff's character names.
  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default: escaped += "\\[u\(hexadecimal(scalar.value))]"
      }
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
