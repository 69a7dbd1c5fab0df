import ActivityKit
import Foundation

/// A trip as a Live Activity.
struct TripAttributes: ActivityAttributes {
  struct ContentState: Codable, Hashable, Sendable {
    /// The mode's name and symbol.
    var label: String
    var symbol: String
    var start: Date
    /// Metres.
    var distance: Double
  }
}
