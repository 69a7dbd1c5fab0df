internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads IGC, the flight records of gliders (FAI, technical specification for IGC-approved GNSS flight recorders, appendix
/// A): B records, with the date of the H record, and the fix accuracy if an I record declares its columns.
struct IGCLines: RecordLines {
  static let maximumLine = 4096

  /// The beginning of the day in milliseconds since 1970; `nil` until an H record contains the date.
  private var day: Int64?
  /// The time of the last B record in milliseconds since midnight.
  private var lastTime: Int64?
  /// The columns, from 0, of the fix accuracy and of the decimals of the second.
  private var accuracy: Range<Int>?
  private var decimals: Range<Int>?

  private static let wholeDay = DayLength.milliseconds

  init() {}

  /// Whether one of the first lines is a B record or a date.
  static func recognizes(_ head: ArraySlice<UInt8>) -> Bool {
    guard let first = head.first, first == UInt8(ascii: "A") || first == UInt8(ascii: "H") else { return false }
    return head.prefix(64 << 10).split(maxSplits: 400, whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(400).contains {
      line in
      line.starts(with: "HFDTE".utf8) || line.withUnsafeBufferPointer { Self.position($0) != nil }
    }
  }

  var heading: String? {
    get {
      func text(_ range: Range<Int>?) -> String { range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "" }
      return [day.map { "\($0)" } ?? "", lastTime.map { "\($0)" } ?? "", text(accuracy), text(decimals)].joined(separator: ";")
    }
    set {
      let parts = (newValue ?? "").split(separator: ";", omittingEmptySubsequences: false)
      guard parts.count == 4 else { return }
      (day, lastTime) = (Int64(parts[0]), Int64(parts[1]))
      func range(_ text: Substring) -> Range<Int>? {
        let ends = text.split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil
      }
      (accuracy, decimals) = (range(parts[2]), range(parts[3]))
    }
  }

  mutating func read(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink) {
    switch line.first {
    case UInt8(ascii: "H"): date(String(decoding: line.prefix(40), as: UTF8.self))
    case UInt8(ascii: "I"): extensions(line)
    case UInt8(ascii: "B"): fix(line, at: place, into: &sink)
    default: break
    }
  }

  /// Reads the date from `HFDTE160722` or `HFDTEDATE:160722,01`: day, month, year.
  private mutating func date(_ line: String) {
    guard line.hasPrefix("HFDTE") || line.hasPrefix("HODTE") || line.hasPrefix("HPDTE") else { return }
    let digits = line.dropFirst(5).drop { !($0.isASCII && $0.isNumber) }.prefix(6)
    guard digits.count == 6, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let year = Int(digits.suffix(2)) else { return }
    // The first recorders were made in the 1990s.
    let text = "\(year < 80 ? "20" : "19")\(digits.suffix(2))-\(digits.dropFirst(2).prefix(2))-\(digits.prefix(2))T00:00:00Z"
    guard let found = text.withUTF8Bytes({ RFC3339.milliseconds(utf8: $0) }) else { return }
    (day, lastTime) = (found, nil)
  }

  /// Reads an I record such as `I023638FXA3940SIU`: the number of extensions, then for each its first and last column, from
  /// 1, and its name.
  private mutating func extensions(_ line: UnsafeBufferPointer<UInt8>) {
    (accuracy, decimals) = (nil, nil)
    var start = 3
    while start + 7 <= line.count {
      let name = String(decoding: line[start + 4..<start + 7], as: UTF8.self)
      if let first = Self.number(line, start..<start + 2), let last = Self.number(line, start + 2..<start + 4), first >= 36,
        last >= first
      {
        if name == "FXA" { accuracy = Int(first) - 1..<Int(last) }
        if name == "TDS" { decimals = Int(first) - 1..<Int(last) }
      }
      start += 7
    }
  }

  private static func number(_ line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int64? {
    guard range.upperBound <= line.count, range.count <= 9, !range.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in line[range] {
      guard case let digit = byte &- 48, digit <= 9 else { return nil }
      value = value * 10 + Int64(digit)
    }
    return value
  }

  /// Returns the latitude and longitude of a B record; `nil` for other lines.
  private static func position(_ line: UnsafeBufferPointer<UInt8>) -> (latitude: Double, longitude: Double)? {
    guard line.count >= 35, line[0] == UInt8(ascii: "B"), number(line, 1..<7) != nil,
      line[24] == UInt8(ascii: "A") || line[24] == UInt8(ascii: "V"),
      let north = number(line, 7..<9), let northMinutes = number(line, 9..<14), let east = number(line, 15..<18),
      let eastMinutes = number(line, 18..<23), northMinutes < 60_000, eastMinutes < 60_000
    else { return nil }
    let (latitude, longitude) = (Double(north) + Double(northMinutes) / 60_000, Double(east) + Double(eastMinutes) / 60_000)
    let signs: (Double, Double)
    switch (line[14], line[23]) {
    case (UInt8(ascii: "N"), UInt8(ascii: "E")): signs = (1, 1)
    case (UInt8(ascii: "N"), UInt8(ascii: "W")): signs = (1, -1)
    case (UInt8(ascii: "S"), UInt8(ascii: "E")): signs = (-1, 1)
    case (UInt8(ascii: "S"), UInt8(ascii: "W")): signs = (-1, -1)
    default: return nil
    }
    return (latitude * signs.0, longitude * signs.1)
  }

  /// Returns an altitude in metres: five digits, or a minus sign and four digits.
  private static func altitude(_ line: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Double? {
    if line[range.lowerBound] == UInt8(ascii: "-") {
      return number(line, range.lowerBound + 1..<range.upperBound).map { -Double($0) }
    }
    return number(line, range).map { Double($0) }
  }

  private mutating func fix(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink) {
    guard let found = Self.position(line), let hour = Self.number(line, 1..<3), let minute = Self.number(line, 3..<5),
      let second = Self.number(line, 5..<7), hour < 24, minute < 60, second <= 60
    else { return sink.skips.add("a B record without a time, a position and two altitudes", at: place) }
    guard found.latitude != 0 || found.longitude != 0 else {
      return sink.skips.add("a B record without a position: the receiver had none", at: place)
    }
    guard let coordinate = Coordinate(latitude: found.latitude, longitude: found.longitude) else {
      return sink.skips.add("latitude \(found.latitude), longitude \(found.longitude) is not a valid position", at: place)
    }
    var time = (hour * 3600 + minute * 60 + second) * 1000
    if let decimals, let value = Self.number(line, decimals), decimals.count <= 3 {
      time += value * [100, 10, 1][decimals.count - 1]
    }
    guard var day else {
      sink.withoutTime += 1
      return
    }
    // A time that is more than half a day earlier than the last one belongs to the next day.
    if let lastTime, lastTime - time > Self.wholeDay / 2 {
      day += Self.wholeDay
      self.day = day
    }
    lastTime = time
    guard let timestamp = TimestampParser.valid(day + time) else {
      return sink.skips.add("a date before 1970 or after 2199", at: place)
    }
    var fix = Fix(time: Date(millisecondsSince1970: timestamp), coordinate: coordinate)
    // V marks a fix without GNSS altitude. Only the barometric altitude is then valid.
    if line[24] == UInt8(ascii: "A") { fix.altitude = Self.altitude(line, 30..<35) }
    if let accuracy, let value = Self.number(line, accuracy) { fix.horizontalAccuracy = Double(value) }
    var extras = ExtrasText()
    extras.add("pressure_altitude", Self.altitude(line, 25..<30))
    var record = Record(kind: .fix(fix))
    record.extras = extras.text
    sink.records.append(record)
  }
}
