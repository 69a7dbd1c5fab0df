internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads Garmin's FIT (Flexible and Interoperable Data Transfer, protocol 1 and 2): the `record` messages with a position.
/// Heart rate, cadence, power, temperature and distance are stored as extras. Several files may be concatenated.
struct FITRecords: RecordParser {
  static let format = "FIT"

  /// The state that is needed to continue at a byte.
  struct State: ParsingState {
    var byte = 0
    var phase = Phase.header
    /// The remaining bytes of messages in this file.
    var left = 0
    var checksum = FITChecksum()
    /// The definitions by local message type, 0 to 15.
    var definitions: [Int: FITDefinition] = [:]
    /// The time of the last message with a timestamp, in seconds since 1989-12-31T00:00:00Z.
    var timestamp: UInt32?
    /// The difference in seconds between FIT's clock and the clock that counts since the device was switched on; `nil`
    /// until a message contains both.
    var clockOffset: Int64?
    /// Records that were read before the difference of the clocks was known.
    var early: [EarlyRecord] = []
    /// The number of files that were read completely.
    var files = 0
  }

  /// A record whose time is not yet known.
  struct EarlyRecord: Sendable, Hashable, Codable {
    /// Seconds since the device was switched on.
    var seconds: UInt32
    /// The offset of the record in the file.
    var byte: Int
    var record: Record
  }

  enum Phase: Int, Sendable, Hashable, Codable { case header, messages, checksum }

  private var current: State
  private var rest: [UInt8] = []

  init(from state: State?) { current = state ?? State() }

  var state: (any ParsingState)? { current }

  /// Whether the first bytes are the header of a FIT file.
  static func recognizes(_ head: [UInt8]) -> Bool {
    head.count >= 12 && (12...64).contains(head[0]) && head[8..<12].elementsEqual(".FIT".utf8)
  }

  mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) {
    rest.append(contentsOf: bytes)
    let all = rest
    var used = 0
    // Records before an error are kept.
    defer { rest = Array(all[used...]) }
    while used < all.count {
      let count = try all.withUnsafeBufferPointer { buffer throws(FormatError) in
        try step(UnsafeBufferPointer(rebasing: buffer[used...]), into: &sink)
      }
      guard let count else { break }
      used += count
      current.byte += count
    }
  }

  mutating func finish(into sink: inout RecordSink) throws(FormatError) {
    // Some programs pad files with zero bytes.
    if current.phase == .header, current.files > 0, rest.allSatisfy({ $0 == 0 }) { return }
    if current.phase == .messages {
      throw fault("the file ends \(current.left - rest.count) bytes before the end of its messages")
    }
    throw fault(current.phase == .header ? "the file ends inside its header" : "the file ends before its checksum")
  }

  private func fault(_ reason: String) -> FormatError {
    FormatError(format: Self.format, place: FormatError.Place(byte: current.byte), reason: reason)
  }

  /// Reads a part. - Returns: its size in bytes; `nil` if more bytes are needed.
  private mutating func step(
    _ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink
  ) throws(FormatError) -> Int? {
    switch current.phase {
    case .header: return try header(bytes)
    case .messages: return try message(bytes, into: &sink)
    case .checksum:
      guard bytes.count >= 2 else { return nil }
      let reported = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
      guard reported == current.checksum.value else {
        throw fault("the checksum does not match: the file is damaged, and the records may be wrong")
      }
      for early in current.early { sink.skips.add(Self.untimed, at: FormatError.Place(byte: early.byte)) }
      current.early = []
      current.files += 1
      current.phase = .header
      return 2
    }
  }

  private mutating func header(_ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) -> Int? {
    let size = Int(bytes[0])
    if size == 0, current.files > 0 { return 1 }
    guard (12...64).contains(size) else { throw fault("expected the header of a FIT file, with its size of 12 or 14 bytes") }
    guard bytes.count >= size else { return nil }
    guard bytes[8..<12].elementsEqual(".FIT".utf8) else { throw fault("expected .FIT in the header") }
    current.left = Int(bytes[4]) | Int(bytes[5]) << 8 | Int(bytes[6]) << 16 | Int(bytes[7]) << 24
    current.checksum = FITChecksum()
    for byte in bytes[..<size] { current.checksum.add(byte) }
    current.definitions = [:]
    current.timestamp = nil
    current.clockOffset = nil
    current.phase = current.left > 0 ? .messages : .checksum
    return size
  }

  private mutating func message(_ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) throws(FormatError) -> Int? {
    let size: Int?
    let head = bytes[0]
    if head & 0x80 == 0, head & 0x40 != 0 {
      size = try define(head, bytes)
    } else {
      let local = Int(head & 0x80 != 0 ? head >> 5 & 0x03 : head & 0x0F)
      guard let definition = current.definitions[local] else {
        throw fault("a message of type \(local), which is not defined before it")
      }
      size = 1 + definition.size
    }
    guard let size else { return nil }
    guard size <= current.left else { throw fault("a message exceeds the size that the header states") }
    guard size <= bytes.count else { return nil }
    let message = UnsafeBufferPointer(rebasing: bytes[..<size])
    if head & 0x80 != 0 || head & 0x40 == 0 { read(head, message, into: &sink) }
    for byte in message { current.checksum.add(byte) }
    current.left -= size
    if current.left == 0 { current.phase = .checksum }
    return size
  }

  /// Reads a definition. - Returns: its size in bytes; `nil` if more bytes are needed.
  private mutating func define(_ head: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) throws(FormatError) -> Int? {
    guard bytes.count >= 6 else { return nil }
    let count = Int(bytes[5])
    let isExtended = head & 0x20 != 0
    var size = 6 + count * 3
    guard bytes.count >= size + (isExtended ? 1 : 0) else { return nil }
    guard bytes[2] <= 1 else { throw fault("a definition with the byte order \(bytes[2]); expected 0 or 1") }
    var definition = FITDefinition(
      isBigEndian: bytes[2] == 1,
      message: bytes[2] == 1 ? UInt16(bytes[3]) << 8 | UInt16(bytes[4]) : UInt16(bytes[4]) << 8 | UInt16(bytes[3]))
    for index in 0..<count {
      let place = 6 + index * 3
      definition.add(FITField(number: bytes[place], size: Int(bytes[place + 1]), type: bytes[place + 2]))
    }
    if isExtended {
      // Only the sizes of developer fields are needed.
      let count = Int(bytes[size])
      let start = size + 1
      size = start + count * 3
      guard bytes.count >= size else { return nil }
      for index in 0..<count { definition.skip(Int(bytes[start + index * 3 + 1])) }
    }
    guard size <= current.left else { throw fault("a definition exceeds the size that the header states") }
    current.definitions[Int(head & 0x0F)] = definition
    return size
  }

  // MARK: Messages

  private mutating func read(_ head: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, into sink: inout RecordSink) {
    let local = Int(head & 0x80 != 0 ? head >> 5 & 0x03 : head & 0x0F)
    guard let definition = current.definitions[local] else { return }
    let message = FITMessage(definition: definition, bytes: bytes)
    if head & 0x80 != 0 {
      // The header byte contains the lowest five bits of the time, which is at or after the last timestamp.
      current.timestamp = current.timestamp.map { last in
        let offset = UInt32(head & 0x1F)
        return last &+ ((offset &- last) & 0x1F)
      }
    } else if let seconds = message.unsigned(253), seconds <= UInt64(UInt32.max) {
      current.timestamp = UInt32(seconds)
    }
    switch definition.message {
    case 20: record(message, into: &sink)
    // The time on both clocks, sent when the receiver knows it.
    case 162:
      guard let date = message.unsigned(253), let uptime = message.unsigned(1), date >= Self.firstDate, date <= UInt32.max,
        uptime < Self.firstDate
      else { break }
      current.clockOffset = Int64(date) - Int64(uptime)
      appendEarlyRecords(into: &sink)
    // A saved place, which is not a point of the recording.
    case 29: sink.unused.waypoints += 1
    default: break
    }
  }

  /// The beginning of FIT's time in seconds since 1970.
  private static let epoch: Int64 = 631_065_600
  /// Smaller timestamps are seconds since the device was switched on (FIT SDK, profile: date_time).
  private static let firstDate: UInt32 = 0x1000_0000

  /// Maximum number of records that are held until the difference of the clocks is known. More are skipped.
  private static let maximumEarly = 3600
  private static let untimed = "a record with a time relative to the start of the device"

  /// Converts a time with an offset to milliseconds since 1970; `nil` outside of the valid range.
  private func time(_ seconds: UInt32, _ offset: Int64) -> Int64? {
    TimestampParser.valid((Int64(seconds) + offset + Self.epoch) * 1000)
  }

  /// Appends the held records after the difference of the clocks is known.
  private mutating func appendEarlyRecords(into sink: inout RecordSink) {
    for early in current.early {
      guard let offset = current.clockOffset, let time = self.time(early.seconds, offset), case .fix(var fix) = early.record.kind
      else {
        sink.skips.add(Self.untimed, at: FormatError.Place(byte: early.byte))
        continue
      }
      var record = early.record
      fix.time = Date(millisecondsSince1970: time)
      record.kind = .fix(fix)
      sink.records.append(record)
    }
    current.early = []
  }

  private mutating func record(_ message: FITMessage, into sink: inout RecordSink) {
    let place = FormatError.Place(byte: current.byte)
    // Indoors and before the first fix there is no position.
    guard let north = message.signed(0), let east = message.signed(1) else {
      return sink.skips.add("a record without a position", at: place)
    }
    let degrees = 180 / 2_147_483_648.0
    guard let coordinate = Coordinate(latitude: Double(north) * degrees, longitude: Double(east) * degrees) else {
      return sink.skips.add(
        "latitude \(Double(north) * degrees), longitude \(Double(east) * degrees) is not a valid position", at: place)
    }
    guard let seconds = current.timestamp else {
      sink.withoutTime += 1
      return
    }
    let offset = seconds < Self.firstDate ? current.clockOffset : 0
    let waits = offset == nil && current.early.count < Self.maximumEarly
    let known = offset.flatMap { self.time(seconds, $0) }
    guard let time = known ?? (waits ? 0 : nil) else { return sink.skips.add(Self.untimed, at: place) }
    var fix = Fix(time: Date(millisecondsSince1970: time), coordinate: coordinate)
    // The altitude is in units of 0.2 m, from 500 m below sea level.
    fix.altitude = (message.unsigned(78) ?? message.unsigned(2)).map { Double($0) / 5 - 500 }
    fix.speed = (message.unsigned(73) ?? message.unsigned(6)).map { Double($0) / 1000 }
    fix.horizontalAccuracy = message.unsigned(31).map { Double($0) }
    var extras = ExtrasText()
    extras.add("total_distance", message.unsigned(5).map { Double($0) / 100 }, decimals: 2)
    extras.add("heart_rate", message.unsigned(3).map { Double($0) })
    extras.add("cadence", message.unsigned(4).map { Double($0) })
    extras.add("watts", message.unsigned(7).map { Double($0) })
    extras.add("temperature", message.signed(13).map { Double($0) })
    var record = Record(kind: .fix(fix))
    record.extras = extras.text
    if waits {
      current.early.append(EarlyRecord(seconds: seconds, byte: current.byte, record: record))
    } else {
      sink.records.append(record)
    }
  }
}
