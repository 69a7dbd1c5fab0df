public import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// A message as it stands in a request.
  public struct Message: Sendable, Hashable {
    /// Its `_type`; `nil`: it is no object with one.
    public var type: String?
    /// Where it begins, and its index where there are several.
    public var place: FormatError.Place
    /// As it came.
    public var bytes: [UInt8]

    /// Where in the request something is.
    /// - Parameter inner: where it is in this message.
    public func place(of inner: FormatError.Place) -> FormatError.Place {
      let separator = place.path == nil || inner.path?.hasPrefix("[") ?? true ? "" : "."
      let path = (place.path ?? "") + separator + (inner.path ?? "")
      return FormatError.Place(byte: place.byte + inner.byte, path: path.isEmpty ? nil : path)
    }
  }

  /// Takes a request apart: one message, or an array of them.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - maximumMessages: that it may have.
  /// - Throws: `FormatError` where it is no JSON, or neither of both, or where there are too many.
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
  /// A number below zero where there can be none is how the apps say that something is not known. What is not ours, and what makes
  /// no sense for its name, is in the record's extras; only a time and a place must be there.
  ///
  /// Overland counts its seconds from 2001 in its OwnTracks mode. A time before 2010 is taken for one of these, where that makes it
  /// one before it came; the extras mark such a time.
  /// - Parameters:
  ///   - bytes: the whole message.
  ///   - received: when it came; `nil`: no time is taken for another one.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readLocation(_ bytes: consuming [UInt8], received: Date? = nil) throws(FormatError) -> Record {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      try OwnTracksLocation(from: &json).record(received: received)
    }
  }

  /// Whether a record's time was counted from 2001 and is right now.
  public static func isRepaired(_ record: Record) -> Bool {
    // It is the last but one of the members at most: a search in all of a long text took longer than reading it.
    guard let end = record.extras?.utf8.suffix(128) else { return false }
    return Array(end).firstRange(of: Array(#""time_repaired":"2001""#.utf8)) != nil
  }

  /// Characters of a picture in a location that are kept.
  public static let largestImage = 256 << 10
}

extension OwnTracks.Message {
  /// The value that comes next.
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
