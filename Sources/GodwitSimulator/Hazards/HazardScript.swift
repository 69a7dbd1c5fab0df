/// What goes wrong and when, as a text that can be read: one line each, the time since the beginning and what happens.
///
///     # The train home
///     +8h30m     aeroplane on
///     +8h45m20s  kill
///     +1d        permission denied
///
/// Empty lines and what follows a # are not read. The order of the lines counts where two happen at one time.
public struct HazardScript: Sendable, Hashable {
  /// A hazard and its time.
  public struct Line: Sendable, Hashable {
    /// Seconds since the beginning, to the microsecond.
    public var after: Double
    public var hazard: Hazard

    /// - Parameters:
    ///   - after: seconds since the beginning.
    ///   - hazard: what happens then.
    public init(after: Double, _ hazard: Hazard) {
      self.after = after
      self.hazard = hazard
    }
  }

  /// In order of time.
  public let lines: [Line]

  /// - Parameter lines: in any order; those of one time keep theirs.
  public init(_ lines: [Line] = []) {
    self.lines = lines.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
  }

  /// What is wrong in a script.
  public struct ScriptError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
  }

  /// Reads a script.
  /// - Throws: ``ScriptError`` with the number of the line, what is wrong in it, and what may stand there.
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

  /// The script as a text, which reads as the same script.
  public var text: String { lines.map { "+\(ScriptTime.text($0.after)) \($0.hazard.text)\n" }.joined() }
}
