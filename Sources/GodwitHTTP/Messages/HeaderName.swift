/// Compares names of headers, which are ASCII and case-insensitive (RFC 9110, 5.1).
///
/// Foundation's string comparison takes a microsecond or more, and a response needs a dozen comparisons.
enum HeaderName {
  /// Whether two names are equal, ignoring the case of ASCII letters.
  static func matches(_ first: String, _ second: String) -> Bool {
    first.utf8.count == second.utf8.count && first.utf8.elementsEqual(second.utf8) { lowercase($0) == lowercase($1) }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
