public import Foundation
internal import GodwitModel
public import GodwitText

/// Colota's own format: a request with one location, as a JSON object.
///
/// Follows Colota's API reference: metres, metres per second, degrees, percent, and seconds since 1970. Unknown `alt`,
/// `vel` and `bear` are absent. `bs` is 0 for unknown, 1 for unplugged, 2 for charging, 3 for full. Fields that the user
/// added are strings.
public enum Colota {
  static let format = "Colota"

  /// Reads the body of a request: a location, or an array of them.
  /// - Parameters:
  ///   - body: the complete text.
  ///   - received: the time of receipt. It is not used, because each location has a time.
  ///   - maximumRecords: the maximum number of records. The rest of the text is not read.
  /// - Throws: `FormatError` if nothing can be read. Invalid locations are in the batch as rejected parts.
  public static func read(
    _ body: [UInt8], received: Date, maximumRecords: Int = RecordBatch.maximumRecords
  ) throws(FormatError) -> RecordBatch {
    try JSONDocument(body, format: format, maximumRecords: maximumRecords).read { (json) throws(JSONReader.Fault) in
      try RecordBatch(from: &json, format: format) { (json, batch) throws(JSONReader.Fault) in
        switch json.peek() {
        case UInt8(ascii: "["): try batch.readRecords(from: &json, path: "", location)
        case UInt8(ascii: "{"): try batch.readRecord(from: &json, 0, path: "", location)
        default: throw json.syntax(#"expected a JSON object: {"lat":…,"lon":…,"tst":…}"#)
        }
      }
    }
  }

  private static func location(_ json: inout JSONReader) throws(JSONReader.Fault) -> Record? {
    try ColotaLocation(from: &json).record()
  }
}
