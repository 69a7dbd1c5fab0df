import ActivityKit
import Foundation

/// A trip as a Live Activity.
struct TripAttributes: ActivityAttributes {
  struct ContentState: Codable, Hashable, Sendable {
    /// The mode's value in the settings, such as "bicycle".
    var mode: String
    /// The mode's name and symbol.
    var label: String
    var symbol: String
    var start: Date
    /// The end of the trip; `nil` while it is in progress.
    var end: Date?
    /// Metres.
    var distance: Double
    /// Records that are not sent yet.
    var waiting: Int
    /// The time of the last fix.
    var lastFix: Date?
  }
}
