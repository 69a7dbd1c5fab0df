import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitRoads

/// How far the distances of tracks are from those of their true routes: measured from position to position, and along roads as the
/// timeline measures them.
struct RoadDistances {
  /// The differences by the true distance.
  private var straight: [Double] = []
  private var along: [Double] = []

  static let header =
    "| seconds between positions | straight, all tracks | median of tracks | along roads, all tracks | median of tracks |"

  private var truth = 0.0
  private var straightSum = 0.0
  private var alongSum = 0.0

  mutating func add(_ fixes: [RoadFix], _ track: RoadTracks.Track) {
    let length = track.route.reduce(0) { $0 + track.lengths[$1] }
    guard length > 0, fixes.count > 1 else { return }
    func straight(_ positions: ClosedRange<Int>) -> Meters {
      zip(fixes[positions], fixes[positions].dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    }
    let whole = straight(0...fixes.count - 1)
    let roads = TripRoads(track.graph).stretches(of: fixes, .motor).reduce(0) { sum, stretch in
      sum + (stretch.route?.length ?? straight(stretch.positions))
    }
    truth += length
    straightSum += whole
    alongSum += roads
    self.straight.append(abs(whole - length) / length)
    along.append(abs(roads - length) / length)
  }

  /// A row of the table.
  func row(_ name: String) -> String {
    func percent(_ value: Double) -> String { String(format: "%+.2f %%", value * 100) }
    func median(_ values: [Double]) -> String {
      let sorted = values.sorted()
      return sorted.isEmpty ? "–" : String(format: "%.2f %%", sorted[sorted.count / 2] * 100)
    }
    let sums = truth > 0 ? [straightSum, alongSum].map { percent(($0 - truth) / truth) } : ["–", "–"]
    return "| \(name) | \(sums[0]) | \(median(straight)) | \(sums[1]) | \(median(along)) |"
  }
}
