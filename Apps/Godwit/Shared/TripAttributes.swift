import ActivityKit
import Foundation

/// A trip as a Live Activity.
struct TripAttributes: ActivityAttributes {
  struct ContentState: Codable, Hashable, Sendable {
    /// A word of the table of settings: "bicycle".
    var mode: String
    /// The mode's name and symbol.
    var label: String
    var symbol: String
    var start: Date
    /// The end of the trip; `nil`: it is running.
    var end: Date?
    /// Metres.
    var distance: Double
    /// Records that are not sent yet.
    var waiting: Int
    /// The time of the last fix.
    var lastFix: Date?
  }
}
