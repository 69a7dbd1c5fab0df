public import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// A message in a request.
  public struct Message: Sendable, Hashable {
    /// The member `_type`; `nil` if the message is not an object with this member.
    public var type: String?
    /// The offset of the message, and its index in an array.
    public var place: FormatError.Place
    /// The message as received.
    public var bytes: [UInt8]

    /// Returns a place in the request.
    /// - Parameter inner: the place in this message.
    public func place(of inner: FormatError.Place) -> FormatError.Place {
      let separator = place.path == nil || inner.path?.hasPrefix("[") ?? true ? "" : "."
      let path = (place.path ?? "") + separator + (inner.path ?? "")
      return FormatError.Place(byte: place.byte + inner.byte, path: path.isEmpty ? nil : path)
    }
  }

  /// Splits a request into messages: one message, or an array of messages.
  /// - Parameters:
  ///   - bytes: the complete text.
  ///   - maximumMessages: the maximum number of messages.
  /// - Throws: `FormatError` if the text is invalid JSON, is neither a message nor an array, or contains too many messages.
  public static func messages(
    _ bytes: consuming [UInt8], maximumMessages: Int = RecordBatch.maximumRecords
  ) throws(FormatError) -> [Message] {
    try JSONDocument(bytes, format: format, maximumRecords: maximumMessages).read { (json) throws(JSONReader.Fault) in
      switch json.peek() {
      case UInt8(ascii: "{"): return [try Message(from: &json, path: nil)]
      case UInt8(ascii: "["):
        var found: [Message] = []
        try json.forEachElement { (json, index) throws(JSONReader.Fault) in
          try json.check(index, rejected: 0)
          found.append(try Message(from: &json, path: "[\(index)]"))
        }
        return found
      default:
        let isEmpty = json.position >= json.count
        throw json.syntax(
          isEmpty ? "the body is empty; expected a message" : "expected a message (a JSON object) or an array of them")
      }
    }
  }

  /// Reads a `location`.
  ///
  /// The apps send a negative number for an unknown value that cannot be negative. Unknown members and invalid values are
  /// in the record's extras. Only a time and a position are required.
  ///
  /// Overland in its OwnTracks mode sends seconds since 2001. A time before 2010 is interpreted as such a time if the
  /// result is not later than the receipt. The extras of such a record have a mark.
  /// - Parameters:
  ///   - bytes: the complete message.
  ///   - received: the time of receipt; `nil`: times are not reinterpreted.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readLocation(_ bytes: consuming [UInt8], received: Date? = nil) throws(FormatError) -> Record {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      try OwnTracksLocation(from: &json).record(received: received)
    }
  }

  /// Whether the record's time was sent in seconds since 2001 and was corrected.
  public static func isRepaired(_ record: Record) -> Bool {
    // The mark is one of the last two members. Searching a long text completely would take longer than reading it.
    guard let end = record.extras?.utf8.suffix(128) else { return false }
    return Array(end).firstRange(of: Array(#""time_repaired":"2001""#.utf8)) != nil
  }

  /// Maximum number of characters of a stored picture in a location.
  public static let largestImage = 256 << 10
}

extension OwnTracks.Message {
  /// Reads the next value.
  fileprivate init(from json: inout JSONReader, path: String?) throws(JSONReader.Fault) {
    _ = json.peek()
    let start = json.position
    if try json.kind() == .object {
      json.position += 1
      if !json.isEmpty(closing: UInt8(ascii: "}")) {
        repeat {
          _ = json.peek()
          let key = try json.key()
          if json.matches(key, "_type"), try json.kind() == .string {
            type = json.decoded(try json.string())
          } else {
            try json.skipValue()
          }
        } while try json.hasMore(closing: UInt8(ascii: "}"))
      }
    } else {
      try json.skipValue()
    }
    place = FormatError.Place(byte: start, path: path)
    bytes = Array(UnsafeBufferPointer(start: json.base + start, count: json.position - start))
  }
}
