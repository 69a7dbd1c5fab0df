public import Foundation
internal import GodwitModel
public import GodwitText

/// The form in which Colota sends by itself: one location in a request, as a JSON object.
///
/// Follows Colota's API reference: metres, metres per second, degrees, percent, and seconds since 1970. `alt`, `vel` and `bear` are absent
/// where they are unknown. `bs` is 0 for unknown, 1 for unplugged, 2 for charging, 3 for full. Fields that the user added are texts.
public enum Colota {
  static let format = "Colota"

  /// Reads the body of a request: a location, or an array of them.
  /// - Parameters:
  ///   - body: the whole text.
  ///   - received: when it came. It is not used: each location has its time.
  ///   - maximumRecords: records after which the rest of it is not read.
  /// - Throws: `FormatError` where nothing of it can be read. A location that is none is in the batch.
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
