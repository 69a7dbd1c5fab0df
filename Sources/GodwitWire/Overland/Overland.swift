public import GodwitModel
public import GodwitText

/// The format of the Overland apps: batches of GeoJSON features over HTTP. This type reads and writes it.
///
/// The reader is lenient: it accepts requests of the iOS app, its fork and its Android port, and the examples of the
/// documentation. An invalid record is rejected with a reason and does not affect the others.
public enum Overland {
  /// The result of reading a request.
  public struct Request: Sendable {
    /// The valid records, in the order of the request.
    public var records: [Record] = []
    /// The elements that are not valid records.
    public var rejected: [UndeliverablePart] = []
    /// The newest position, if the sender has more pending records than it sends. It is not in `records`.
    public var current: Record?
    /// The current trip, as the text of a JSON object.
    public var trip: String?
    /// The error at which reading stopped; `nil` if the whole text was read. The records before it are in `records`; the
    /// text after it is the last element of `rejected`.
    public var broken: FormatError?
  }

  /// An element of `locations` that is not a valid record.
  public struct UndeliverablePart: Sendable, Hashable {
    /// The index of the element in `locations`, from 0.
    public var index: Int
    public var place: FormatError.Place
    /// The fault and what was expected.
    public var reason: String
    /// The first `RecordLimits.keptBytes` of the element as received.
    public var raw: [UInt8]
    /// The size of the element in bytes.
    public var size: Int
  }

  /// The form in which records are written.
  public enum Profile: Sendable {
    /// The exact form of the iOS app: whole metres, −1 for unknown values, coordinates truncated to 7 decimals.
    case app
    /// The form of Godwit: values in steps of 0.01, coordinates with 9 decimals, milliseconds, and record identifiers.
    /// Unknown values are omitted.
    case precise
  }
}
