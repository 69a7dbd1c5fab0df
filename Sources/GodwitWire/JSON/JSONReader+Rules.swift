internal import GodwitText

/// Values that must be of a kind and follow a rule; a fault says what was expected, and where.
extension JSONReader {
  /// A string by a rule.
  /// - Parameter rule: gives the reason why a text cannot be taken.
  mutating func text(_ rule: (String) -> String?) throws(Fault) -> String {
    guard try kind() == .string else { throw unexpected("expected a string", at: position) }
    let start = position
    let text = decoded(try string())
    if let reason = rule(text) { throw unexpected(reason, at: start) }
    return text
  }

  /// A number by a rule, which receives how it was written.
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

  /// `true` or `false`.
  mutating func flag() throws(Fault) -> Bool {
    guard try kind() == .boolean else { throw unexpected("expected true or false", at: position) }
    return try boolean()
  }

  /// An array's elements.
  /// - Parameters:
  ///   - path: of the array, below what is being read.
  ///   - body: reads one; what is wrong in it gets its index into the path.
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
