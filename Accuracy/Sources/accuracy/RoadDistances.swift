import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitRoads

/// The errors of the distances of tracks compared with their true routes: measured from position to position, and along roads with the
/// method of the timeline.
struct RoadDistances {
  /// The differences divided by the true distance.
  private var straight: [Double] = []
  private var along: [Double] = []

  static let header =
    "| seconds between positions | straight, all tracks | median of tracks | along roads, all tracks | median of tracks |"

  private var truth = 0.0
  private var straightSum = 0.0
  private var alongSum = 0.0

  mutating func add(_ fixes: [RoadFix], _ track: RoadTracks.Track) {
    let length = track.route.reduce(0) { $0 + track.roads.lengths[$1] }
    guard length > 0, fixes.count > 1 else { return }
    let whole = TripRoads.length(of: fixes[...])
    let roads = TripRoads(track.roads.graph).stretches(of: fixes, .motor).reduce(0) { sum, stretch in
      sum + (stretch.route?.length ?? TripRoads.length(of: fixes[stretch.positions]))
    }
    truth += length
    straightSum += whole
    alongSum += roads
    straight.append(abs(whole - length) / length)
    along.append(abs(roads - length) / length)
  }

  /// Returns a row of the table.
  func row(_ name: String) -> String {
    func percent(_ value: Double) -> String { String(format: "%+.2f %%", value * 100) }
    func median(_ values: [Double]) -> String {
      StayScore.quantile(values, 0.5).map { String(format: "%.2f %%", $0 * 100) } ?? "–"
    }
    let sums = truth > 0 ? [straightSum, alongSum].map { percent(($0 - truth) / truth) } : ["–", "–"]
    return "| \(name) | \(sums[0]) | \(median(straight)) | \(sums[1]) | \(median(along)) |"
  }
}
