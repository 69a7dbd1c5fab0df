public import Foundation

/// The content of widget, Live Activity and watch, which the app writes at every change. It contains no position.
public struct WidgetSnapshot: Codable, Sendable, Hashable {
  /// The time at which the snapshot was taken.
  public var time: Date
  public var isTracking: Bool
  /// The status in a few words: "Recording".
  public var title: String
  /// An explanation in a sentence.
  public var detail: String
  /// Whether there is a problem that the user can solve.
  public var isProblem: Bool
  /// The number of records that the slowest server has not received yet.
  public var waiting: Int
  public var lastSent: Date?
  public var trip: TripSnapshot?

  /// The running trip.
  public struct TripSnapshot: Codable, Sendable, Hashable {
    /// A mode of the table of settings: "bicycle".
    public var mode: String
    /// The label of the mode: "Bicycle".
    public var label: String
    /// The name of a symbol of SF Symbols.
    public var symbol: String
    /// The start of the trip.
    public var start: Date
    /// The length of the trip in metres.
    public var distance: Double

    public init(mode: String, label: String, symbol: String, start: Date, distance: Double) {
      self.mode = mode
      self.label = label
      self.symbol = symbol
      self.start = start
      self.distance = distance
    }
  }

  public init(
    time: Date, isTracking: Bool, title: String, detail: String, isProblem: Bool, waiting: Int, lastSent: Date?,
    trip: TripSnapshot?
  ) {
    self.time = time
    self.isTracking = isTracking
    self.title = title
    self.detail = detail
    self.isProblem = isProblem
    self.waiting = waiting
    self.lastSent = lastSent
    self.trip = trip
  }
}
