internal import Foundation
package import GodwitHistory
package import GodwitModel

/// Clusters of visits, by total duration. They include unnamed places of long or frequent visits.
package struct LearnedPlaces: Sendable {
  /// A cluster of visits.
  package struct Cluster: Sendable {
    package var center: Coordinate
    package var visits = 0
    /// Total duration of the visits in seconds.
    package var seconds = 0.0
    /// Time of the first arrival and of the last departure, in milliseconds since 1970.
    package var first: Int64
    package var last: Int64
    package var place: NamedPlace?
    /// Name that a user gave to a visit, from the longest visit with a name.
    package var visitName: String?
  }

  /// Radius in metres within which visits share a place.
  package static let radius: Meters = 120

  package private(set) var clusters: [Cluster] = []

  /// Clusters the visits. Long visits define the clusters, and shorter ones join the nearest cluster, so that the result is
  /// deterministic.
  /// - Parameters:
  ///   - visits: Visits of one device.
  ///   - times: Time range in milliseconds since 1970. The duration of a visit outside the range does not count.
  ///   - finder: Finds named places. Each named place is one cluster, independent of its size.
  package init(_ visits: [ShownVisit], in times: Range<Int64> = .min..<Int64.max, _ finder: PlaceFinder) {
    var grid: [[Int32]: [Int]] = [:]
    var named: [Int64: Int] = [:]
    func seconds(_ visit: FoundVisit) -> Double {
      Double(max(0, min(visit.departure ?? visit.seen, times.upperBound) - max(visit.arrival, times.lowerBound))) / 1000
    }
    let ordered = visits.map { ($0, seconds($0.visit)) }.sorted { ($1.1, $0.0.visit.arrival) < ($0.1, $1.0.visit.arrival) }
    for (shown, seconds) in ordered {
      let visit = shown.visit
      var found: Int?
      if let place = finder.place(of: shown) {
        found = named[place.id]
        if found == nil {
          named[place.id] = clusters.count
          clusters.append(Cluster(center: place.options.center, first: visit.arrival, last: visit.seen, place: place))
          found = clusters.count - 1
        }
      } else {
        var nearest = Self.radius
        let row = Self.row(visit.coordinate)
        for near in row - 1...row + 1 {
          let column = Self.column(visit.coordinate, in: near)
          for index in (column - 1...column + 1).flatMap({ grid[[near, $0]] ?? [] }) {
            let distance = GreatCircle.distance(clusters[index].center, visit.coordinate)
            if distance <= nearest { (nearest, found) = (distance, index) }
          }
        }
        if found == nil {
          grid[[row, Self.column(visit.coordinate, in: row)], default: []].append(clusters.count)
          clusters.append(Cluster(center: visit.coordinate, first: visit.arrival, last: visit.seen, place: nil))
        }
      }
      let index = found ?? clusters.count - 1
      clusters[index].visits += 1
      clusters[index].seconds += seconds
      clusters[index].first = min(clusters[index].first, visit.arrival)
      clusters[index].last = max(clusters[index].last, visit.departure ?? visit.seen)
      if clusters[index].visitName == nil { clusters[index].visitName = shown.name }
    }
    clusters.sort { ($1.seconds, $0.first) < ($0.seconds, $1.first) }
  }

  /// Rows and columns of grid cells that are at least as wide as a cluster, at any latitude.
  private static func row(_ place: Coordinate) -> Int32 { Int32((place.latitude / height).rounded(.down)) }

  private static func column(_ place: Coordinate, in row: Int32) -> Int32 {
    let width = height / max(0.01, cos((Double(row) + 0.5) * height * .pi / 180) * 0.98)
    return Int32((place.longitude / width).rounded(.down))
  }

  private static let height = radius / 111_000
}
