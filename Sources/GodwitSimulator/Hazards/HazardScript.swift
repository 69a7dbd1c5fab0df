/// Hazards with their times, as readable text. Each line contains the time since the start and a hazard.
///
///     # The train home
///     +8h30m     aeroplane on
///     +8h45m20s  kill
///     +1d        permission denied
///
/// Empty lines and text after a # are ignored. Hazards of the same time happen in the order of their lines.
public struct HazardScript: Sendable, Hashable {
  /// A hazard and its time.
  public struct Line: Sendable, Hashable {
    /// Seconds since the start, to the microsecond.
    public var after: Double
    public var hazard: Hazard

    /// - Parameters:
    ///   - after: Seconds since the start.
    ///   - hazard: The hazard at that time.
    public init(after: Double, _ hazard: Hazard) {
      self.after = after
      self.hazard = hazard
    }
  }

  /// Sorted by time.
  public let lines: [Line]

  /// - Parameter lines: Lines in any order. Lines of the same time keep their order.
  public init(_ lines: [Line] = []) {
    self.lines = lines.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
  }

  /// A syntax error in a script.
  public struct ScriptError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
  }

  /// Parses a script.
  /// - Throws: ``ScriptError`` with the line number, the error and the permitted values.
  public init(text: String) throws(ScriptError) {
    var lines: [Line] = []
    for (number, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = raw.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      guard first.first == "+", let after = ScriptTime.seconds(String(first.dropFirst())) else {
        throw ScriptError(
          description:
            "line \(number + 1): \"\(first)\" is not a time; write + with days, hours, minutes and seconds, such as +1d8h30m")
      }
      switch Hazard.read(Array(words.dropFirst())) {
      case .success(let hazard): lines.append(Line(after: after, hazard))
      case .failure(let error): throw ScriptError(description: "line \(number + 1): \(error.description)")
      }
    }
    self.init(lines)
  }

  /// The script as text. Parsing this text gives the same script.
  public var text: String { lines.map { "+\(ScriptTime.text($0.after)) \($0.hazard.text)\n" }.joined() }
}
