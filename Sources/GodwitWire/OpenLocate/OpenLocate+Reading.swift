public import Foundation
internal import GodwitModel
public import GodwitText

extension OpenLocate {
  static let format = "OpenLocate"

  /// Reads a request's body: `{"locations":[…]}`, a bare array, or one location.
  ///
  /// Numbers and flags may also be strings, as in the documentation and in the Android SDK. A location with the context
  /// `visit_entry` or `visit_exit` is a visit. Members that a record cannot hold are in its extras.
  /// - Parameters:
  ///   - body: the complete text.
  ///   - received: the time of receipt, which is used for locations without a time.
  ///   - maximumRecords: the maximum number of records. The rest of the text is not read.
  /// - Throws: `FormatError` if nothing can be read. Smaller faults are in the batch. Locations without coordinates, which
  ///   an app may configure, are counted there.
  public static func read(
    _ body: [UInt8], received: Date, maximumRecords: Int = RecordBatch.maximumRecords
  ) throws(FormatError) -> RecordBatch {
    try JSONDocument(body, format: format, maximumRecords: maximumRecords).read { (json) throws(JSONReader.Fault) in
      try RecordBatch(from: &json, format: format) { (json, batch) throws(JSONReader.Fault) in
        try read(&json, into: &batch, received: received)
      }
    }
  }

  private static func read(
    _ json: inout JSONReader, into batch: inout RecordBatch, received: Date
  ) throws(JSONReader.Fault) {
    func location(_ json: inout JSONReader) throws(JSONReader.Fault) -> Record? {
      try OpenLocateLocation(from: &json).record(received: received)
    }
    switch json.peek() {
    case UInt8(ascii: "["): return try batch.readRecords(from: &json, path: "", location)
    case UInt8(ascii: "{"): break
    default:
      throw json.syntax(
        json.position >= json.count
          ? "the body is empty; expected {\"locations\":[…]}" : "expected a JSON object: {\"locations\":[…]}")
    }
    let start = json.position
    var (hasLocations, isOne) = (false, false)
    json.position += 1
    if !json.isEmpty(closing: UInt8(ascii: "}")) {
      repeat {
        _ = json.peek()
        let key = try json.key()
        if json.matches(key, "locations") {
          guard json.peek() == UInt8(ascii: "[") else {
            throw json.unexpected("expected an array of locations", at: json.position, path: ".locations")
          }
          hasLocations = true
          try batch.readRecords(from: &json, path: ".locations", location)
        } else {
          isOne = isOne || json.matches(key, "latitude") || json.matches(key, "utc_timestamp")
          try json.skipValue()
        }
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    }
    if hasLocations { return }
    guard isOne else { throw json.unexpected("there is no member \"locations\"", at: start) }
    json.position = start
    try batch.readRecord(from: &json, 0, path: "", location)
  }
}
