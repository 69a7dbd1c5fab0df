internal import GodwitText

/// Reads values that must have a type and pass a rule. A fault contains what was expected and its place.
extension JSONReader {
  /// Reads a string that a rule accepts.
  /// - Parameter rule: returns the reason for which a text is rejected; `nil` if the text is valid.
  mutating func text(_ rule: (String) -> String?) throws(Fault) -> String {
    guard try kind() == .string else { throw unexpected("expected a string", at: position) }
    let start = position
    let text = decoded(try string())
    if let reason = rule(text) { throw unexpected(reason, at: start) }
    return text
  }

  /// Reads a number that a rule accepts. The rule also gets the text of the number.
  @inline(__always)
  mutating func number(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double {
    let first = peek()
    let start = position
    guard first == UInt8(ascii: "-") || first &- 48 <= 9 else { throw noNumber(at: start) }
    if first == UInt8(ascii: "-"), base[start + 1] == UInt8(ascii: "I") { throw noNumber(at: start) }
    let value = try number()
    if rule(value, "") != nil {
      let shown = verbatim(start..<min(position, start + 40))
      throw unexpected(rule(value, shown) ?? shown, at: start)
    }
    return value
  }

  private func noNumber(at start: Int) -> Fault {
    switch base[start] {
    case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "-"):
      Fault(offset: start, isSyntax: true, reason: "expected a number; JSON has no NaN and no Infinity")
    case 0: syntax("expected a number")
    default: unexpected("expected a number", at: start)
    }
  }

  /// Reads `true` or `false`.
  mutating func flag() throws(Fault) -> Bool {
    guard try kind() == .boolean else { throw unexpected("expected true or false", at: position) }
    return try boolean()
  }

  /// Reads the elements of an array.
  /// - Parameters:
  ///   - path: the path of the array relative to the value that is being read.
  ///   - body: reads an element. The index of the element is added to the path of a fault.
  @inline(__always)
  mutating func forEachElement(
    path: StaticString = "", _ body: (inout JSONReader, _ index: Int) throws(Fault) -> Void
  ) throws(Fault) {
    guard try kind() == .array else { throw unexpected("expected an array", at: position, path: "\(path)") }
    position += 1
    guard !isEmpty(closing: UInt8(ascii: "]")) else { return }
    var index = 0
    repeat {
      _ = peek()
      do throws(Fault) { try body(&self, index) } catch { throw error.below("\(path)[\(index)]") }
      index += 1
    } while try hasMore(closing: UInt8(ascii: "]"))
  }
}
