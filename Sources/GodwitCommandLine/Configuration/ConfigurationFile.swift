internal import Foundation

/// A YAML file with values of options. It has a section for each command, with `option: value` or `option: [value, …]`.
struct ConfigurationFile: Sendable {
  struct Entry: Sendable {
    let name: String
    let values: [String]
    /// Whether the values are a list in the file.
    let isList: Bool
    let line: Int
  }

  struct Section: Sendable {
    let name: String
    let entries: [Entry]
    let line: Int
  }

  /// An error with the file, the line and the expected content.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  let path: String
  let sections: [Section]

  /// A configuration file has a few kilobytes. A larger file is not a configuration file.
  private static let greatestSize = 1 << 20

  /// Returns the default path of a program's configuration file.
  static func standard(program: String) -> String { "/etc/godwit/\(program).yaml" }

  init(path: String) throws(Fault) {
    guard let file = FileHandle(forReadingAtPath: path),
      let bytes = try? file.read(upToCount: Self.greatestSize + 1) ?? Data()
    else { throw Fault(description: "the configuration \(path) cannot be read") }
    guard bytes.count <= Self.greatestSize else { throw Fault(description: "the configuration \(path) is larger than 1 MiB") }
    try self.init(path: path, text: [UInt8](bytes))
  }

  init(path: String, text: [UInt8]) throws(Fault) {
    self.path = path
    do throws(YAMLDocument.Fault) { sections = try Self.sections(of: YAMLDocument(text)) } catch {
      throw Fault(description: "\(path):\(error.line): \(error.reason)")
    }
  }

  func place(_ entry: Entry) -> String { "\(path):\(entry.line): \(entry.name)" }

  private static func sections(of document: YAMLDocument) throws(YAMLDocument.Fault) -> [Section] {
    guard let root = document.root else { return [] }
    guard case .mapping(let pairs) = root.content else {
      throw YAMLDocument.Fault(line: root.line, reason: "expected sections such as \"serve:\", each with options below it")
    }
    var sections: [Section] = []
    for (key, value) in pairs {
      let name = try name(key)
      if sections.contains(where: { $0.name == name }) {
        throw YAMLDocument.Fault(line: key.line, reason: "the section \(name) is there twice")
      }
      sections.append(Section(name: name, entries: try entries(of: value, in: name), line: key.line))
    }
    return sections
  }

  private static func entries(of node: YAMLDocument.Node, in section: String) throws(YAMLDocument.Fault) -> [Entry] {
    // All options of the section are commented out.
    if case .scalar(_, isEmpty: true) = node.content { return [] }
    guard case .mapping(let pairs) = node.content else {
      throw YAMLDocument.Fault(
        line: node.line,
        reason:
          "expected options of \(section), each as \"option: value\"; options are under the name of their command, such as serve")
    }
    var entries: [Entry] = []
    for (key, value) in pairs {
      let name = try name(key)
      if let other = entries.first(where: { $0.name == name }) {
        throw YAMLDocument.Fault(line: key.line, reason: "\(name) is there already, in line \(other.line)")
      }
      let (values, isList) = try values(of: value, for: name)
      entries.append(Entry(name: name, values: values, isList: isList, line: key.line))
    }
    return entries
  }

  private static func values(of node: YAMLDocument.Node, for name: String) throws(YAMLDocument.Fault) -> ([String], Bool) {
    switch node.content {
    case .scalar(let text, isEmpty: false): return ([text], false)
    case .list(let nodes):
      var values: [String] = []
      for node in nodes {
        guard case .scalar(let text, isEmpty: false) = node.content else {
          throw YAMLDocument.Fault(line: node.line, reason: "\(name): expected a list of values")
        }
        values.append(text)
      }
      return (values, true)
    case .scalar: throw YAMLDocument.Fault(line: node.line, reason: "\(name) has no value; give one, or remove the line")
    case .mapping: throw YAMLDocument.Fault(line: node.line, reason: "\(name): expected a value or a list, not options")
    }
  }

  private static func name(_ node: YAMLDocument.Node) throws(YAMLDocument.Fault) -> String {
    guard case .scalar(let text, isEmpty: false) = node.content else {
      throw YAMLDocument.Fault(line: node.line, reason: "expected the name of a section or an option")
    }
    return text
  }
}
