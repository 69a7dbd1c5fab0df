internal import Foundation
package import GodwitStore

/// A rejected record for display, with its faulty lines. JSON is shown with one member per line, a form with one argument per line.
package struct RejectedText: Sendable, Hashable {
  /// The lines without line ends.
  package private(set) var lines: [String] = []
  /// The lines that contain the fault; `nil` if they are unknown.
  package private(set) var marked: ClosedRange<Int>?

  /// Maximum characters of a line, and maximum lines.
  private static let maximumLine = 2000
  private static let maximumLines = 5000

  package init(_ rejection: StoredRejectedRecord) {
    let rejected = rejection.rejected
    let isPart = rejected.origin?.isPart ?? true
    var printer = JSONPrinter(rejected.raw)
    if let printed = printer.printed() {
      let wanted = Self.path(of: rejected.place, isPart: isPart)
      lines = printed
      // The deepest existing value on the path. If a member is missing, the object that should contain it is marked.
      marked = printer.places.filter { Self.leads($0.path, to: wanted) }.max { $0.path.count < $1.path.count }?.lines
    } else {
      let text = String(decoding: rejected.raw, as: UTF8.self)
      let isForm = rejected.raw.contains(UInt8(ascii: "=")) && !text.contains("{")
      let separator: Character = isForm ? "&" : "\n"
      lines = text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
      if let byte = Self.byte(of: rejected.place), byte <= rejected.raw.count, isForm || !isPart {
        let line = rejected.raw.prefix(byte).count { $0 == separator.asciiValue }
        marked = line...line
      }
    }
    lines = lines.prefix(Self.maximumLines).map { $0.count > Self.maximumLine ? $0.prefix(Self.maximumLine) + "…" : $0 }
    if let range = marked, range.upperBound >= lines.count {
      marked = range.lowerBound < lines.count ? range.lowerBound...(lines.count - 1) : nil
    }
  }

  /// Returns the JSON path in a place. If the record is an element of an array, the path is relative to the element:
  /// `.properties.timestamp` for `$.locations[3].properties.timestamp, byte 210`.
  package static func path(of place: String, isPart: Bool) -> String {
    var path = place.components(separatedBy: ", ").first { !$0.hasPrefix("byte ") && !$0.hasPrefix("line ") } ?? ""
    if path.hasPrefix("$") { path.removeFirst() }
    if let first = path.first, first != ".", first != "[" { path = "." + path }
    guard isPart, let element = path.firstMatch(of: #/^(\.(locations|location|features))?\[\d+\]/#) else { return path }
    path.removeSubrange(element.range)
    return path
  }

  private static func leads(_ path: String, to wanted: String) -> Bool {
    wanted == path || wanted.hasPrefix(path) && (path.isEmpty || [".", "["].contains(wanted[path.endIndex]))
  }

  private static func byte(of place: String) -> Int? {
    place.components(separatedBy: ", ").last { $0.hasPrefix("byte ") }.flatMap { Int($0.dropFirst(5)) }
  }
}

/// Formats JSON with one member per line. Keeps the order of the members and the text of the numbers.
private struct JSONPrinter {
  private let bytes: [UInt8]
  private var position = 0
  private var lines: [String] = []
  private var line = ""
  /// The path and the lines of each value.
  private(set) var places: [(path: String, lines: ClosedRange<Int>)] = []
  private static let deepest = 64

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the lines; `nil` if the text is not a JSON object or array.
  mutating func printed() -> [String]? {
    skipSpace()
    guard let first = peek, first == UInt8(ascii: "{") || first == UInt8(ascii: "["), value("", 0) else { return nil }
    skipSpace()
    guard position == bytes.count else { return nil }
    endLine(0)
    return lines
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() { while let byte = peek, byte <= 0x20 { position += 1 } }

  private mutating func endLine(_ depth: Int) {
    lines.append(line)
    line = String(repeating: "  ", count: depth)
  }

  private mutating func value(_ path: String, _ depth: Int) -> Bool {
    skipSpace()
    let first = lines.count
    let isRead: Bool
    switch peek {
    case UInt8(ascii: "{"): isRead = members(path, depth, closing: UInt8(ascii: "}"))
    case UInt8(ascii: "["): isRead = members(path, depth, closing: UInt8(ascii: "]"))
    case UInt8(ascii: "\""): isRead = text() != nil
    case nil: isRead = false
    default: isRead = word()
    }
    if isRead { places.append((path, first...lines.count)) }
    return isRead
  }

  private mutating func members(_ path: String, _ depth: Int, closing: UInt8) -> Bool {
    guard depth < Self.deepest else { return false }
    let isObject = closing == UInt8(ascii: "}")
    line += isObject ? "{" : "["
    position += 1
    skipSpace()
    var index = 0
    while peek != closing {
      if index > 0 {
        guard peek == UInt8(ascii: ",") else { return false }
        position += 1
        line += ","
      }
      endLine(depth + 1)
      var below = "\(path)[\(index)]"
      if isObject {
        skipSpace()
        guard let name = text() else { return false }
        skipSpace()
        guard peek == UInt8(ascii: ":") else { return false }
        position += 1
        line += ": "
        below = "\(path).\(name)"
      }
      guard value(below, depth + 1) else { return false }
      skipSpace()
      index += 1
    }
    position += 1
    if index > 0 { endLine(depth) }
    line += isObject ? "}" : "]"
    return true
  }

  /// Copies a string unchanged. - Returns: the string without its quotes.
  private mutating func text() -> String? {
    guard peek == UInt8(ascii: "\"") else { return nil }
    let start = position
    position += 1
    while let byte = peek, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
    guard position < bytes.count else { return nil }
    position += 1
    line += String(decoding: bytes[start..<position], as: UTF8.self)
    return String(decoding: bytes[(start + 1)..<(position - 1)], as: UTF8.self)
  }

  private mutating func word() -> Bool {
    let start = position
    while let byte = peek, byte > 0x20, !Array(",]}:\"[{".utf8).contains(byte) { position += 1 }
    line += String(decoding: bytes[start..<position], as: UTF8.self)
    return position > start
  }
}
