internal import GodwitModel
internal import GodwitText
internal import GodwitTracks
internal import GodwitWire

/// Reads files with messages of OwnTracks: the recorder's `.rec`, whose lines have a time, a kind and a message, separated
/// by tabs or, in old files, by spaces; a message on each line; or an array of messages, alone or as `data` in a response
/// of the recorder's API.
struct OwnTracksMessages: JSONElements {
  static let format = OwnTracks.format

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case [], ["data"], ["locations"]: .enter
    case ["[]"], ["data", "[]"], ["locations", "[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    _ = json.peek()
    let start = json.position
    var type = ""
    try json.members { (json, key) throws(JSONReader.Fault) in
      guard json.matches(key, "_type") else { return false }
      type = try json.optionalString() ?? ""
      return true
    }
    let message = Array(UnsafeBufferPointer(start: json.base + start, count: json.position - start))
    do throws(FormatError) {
      switch type {
      case "location": sink.records.append(try OwnTracks.readLocation(message))
      case "transition": sink.records.append(try OwnTracks.readTransition(message))
      case "waypoint", "waypoints":
        throw FormatError(
          format: Self.format, place: FormatError.Place(byte: 0), reason: "a waypoint is a region; import it with the regions")
      case "encrypted":
        throw FormatError(
          format: Self.format, place: FormatError.Place(byte: 0), reason: "the message is encrypted")
      case "":
        throw FormatError(
          format: Self.format, place: FormatError.Place(byte: 0), reason: "expected a message with a \"_type\"")
      // Messages about the app and not about a position are skipped: lwt, status, configuration, card, cmd, steps, beacon,
      // …
      default: break
      }
    } catch {
      throw json.unexpected(error.reason, at: start + error.place.byte, path: error.place.path.map { ".\($0)" } ?? "")
    }
  }
}

/// Reads the lines of a `.rec` file.
struct OwnTracksLines: RecordLines {
  static let maximumLine = JSONLines<OwnTracksMessages>.maximumLine

  private var messages = JSONLines(OwnTracksMessages())

  /// Whether the first line is a line of a `.rec` file.
  static func recognizes(_ head: ArraySlice<UInt8>) -> Bool {
    let line = head.prefix { $0 != 0x0A && $0 != 0x0D }
    // Older recorders wrote spaces instead of tabs.
    guard let brace = line.firstIndex(of: UInt8(ascii: "{")), brace > line.startIndex else { return false }
    return hasTime(line) && (line[brace - 1] == 0x09 || line[brace - 1] == 0x20)
  }

  /// Whether a line begins with a time and a space or a tab.
  private static func hasTime(_ line: some Sequence<UInt8>) -> Bool {
    let time = line.prefix { $0 != 0x09 && $0 != 0x20 }
    return time.count < 40 && Array(time).withUnsafeBufferPointer { RFC3339.milliseconds(utf8: $0) } != nil
  }

  mutating func read(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink) {
    // The message is the last field. The fields before it contain no braces.
    let start = line.firstIndex(of: UInt8(ascii: "{")) ?? line.count
    guard start < line.count else {
      // Lines of other kinds, such as those about the recorder, have no message.
      if line.count(where: { $0 == 0x09 }) < 2, !Self.hasTime(line) {
        sink.skips.add("expected a time, a kind and a message, separated by tabs", at: place)
      }
      return
    }
    messages.read(
      UnsafeBufferPointer(rebasing: line[start...]), at: FormatError.Place(byte: place.byte + start, line: place.line),
      into: &sink)
  }
}
