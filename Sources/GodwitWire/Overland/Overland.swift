public import GodwitModel
public import GodwitText

/// The format of the Overland apps: batches of GeoJSON features over HTTP, both ways.
///
/// Reading is generous: it takes what the iOS app, its fork, its Android port and the documentation's examples
/// send. Each record stands for itself: one that is wrong is refused by name and the others are kept.
public enum Overland {
  /// What a request says.
  public struct Request: Sendable {
    /// The valid records, in their order.
    public var records: [Record] = []
    /// What was no valid record.
    public var rejected: [UndeliverablePart] = []
    /// The newest position, when the sender has more waiting than it sends; not one of `records`.
    public var current: Record?
    /// The trip that is going on: the text of a JSON object.
    public var trip: String?
    /// Where the text stops to be JSON. What came before it is in `records`, what comes after it is the last of
    /// `rejected`.
    public var broken: FormatError?
  }

  /// An element of `locations` that is no valid record.
  public struct UndeliverablePart: Sendable, Hashable {
    /// Its position in `locations`, from 0.
    public var index: Int
    public var place: FormatError.Place
    /// What is wrong and what was expected.
    public var reason: String
    /// Its first `RecordLimits.keptBytes` as they came.
    public var raw: [UInt8]
    /// Bytes that it had.
    public var size: Int
  }

  /// How a record is written.
  public enum Profile: Sendable {
    /// Exactly as the iOS app does: whole metres, −1 for what is unknown, places cut to 7 decimals.
    case app
    /// Ours: steps of 0.01, places to 9 decimals, milliseconds, record identifiers; what is unknown is left out.
    case precise
  }
}
