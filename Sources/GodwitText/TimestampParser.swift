internal import GodwitModel

/// Parses times in the formats of other programs.
@usableFromInline
package enum TimestampParser {
  /// The valid times of a record, 1970-01-01 to 2199-12-31, in milliseconds since 1970. Other times come from wrong clocks or invented
  /// dates.
  package static let validTimes: ClosedRange<Int64> = 0...7_258_118_399_999

  /// Parses RFC 3339, also without a zone (UTC is assumed) or with a space before the zone, or a number as in ``milliseconds(unix:)``.
  /// Returns `nil` for other texts and for years outside 1970 to 2199.
  @usableFromInline
  package static func milliseconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    if let time = RFC3339.milliseconds(utf8: bytes) { return valid(time) }
    if let number = DecimalParser.double(bytes) { return milliseconds(unix: number) }
    guard bytes.count >= 10, bytes.count <= 40 else { return nil }
    var text = Array(bytes).filter { $0 != UInt8(ascii: "\"") }
    while text.last == 0x20 { text.removeLast() }
    while text.first == 0x20 { text.removeFirst() }
    for word in [" UTC", " GMT"] where text.suffix(4).elementsEqual(word.utf8) {
      text.removeLast(4)
      text.append(UInt8(ascii: "Z"))
    }
    // Accepts 2026/11/20 as 2026-11-20.
    for index in [4, 7] where index < text.count && text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "-") }
    // Removes the space before the zone.
    if let space = text.lastIndex(of: 0x20), space > 10 { text.remove(at: space) }
    if text.count == 10 { text += Array("T00:00:00".utf8) }
    if text.count == 16 { text += Array(":00".utf8) }
    return attempt(text) ?? attempt(text + [UInt8(ascii: "Z")])
  }

  private static func attempt(_ text: [UInt8]) -> Int64? {
    text.withUnsafeBufferPointer { RFC3339.milliseconds(utf8: $0) }.flatMap(valid)
  }

  /// Parses a Unix time. Its magnitude determines the unit: below 1e11 seconds, below 1e14 milliseconds, below 1e17 microseconds, else
  /// nanoseconds.
  @usableFromInline
  package static func milliseconds(unix number: Double) -> Int64? {
    let size = abs(number)
    guard size < 1e20 else { return nil }
    let milliseconds = size < 1e11 ? number * 1000 : size < 1e14 ? number : size < 1e17 ? number / 1e3 : number / 1e6
    return valid(Int64(milliseconds.rounded()))
  }

  package static func valid(_ milliseconds: Int64) -> Int64? {
    validTimes.contains(milliseconds) ? milliseconds : nil
  }
}
