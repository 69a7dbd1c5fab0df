package import CoreLocation
internal import Foundation
package import GodwitModel

/// Determines from the positions of the system when the phone was certainly inside and certainly outside each geofence.
///
/// `@unchecked Sendable`: used only on the thread of the phone.
package final class GeofenceOracle: @unchecked Sendable {
  /// A period: the times of the first position in the state, and of the first position after it in another state.
  package struct Stretch: Sendable, Hashable {
    package var from: Date
    package var until: Date
  }

  // The following lists are indexed by the number of the geofence.
  /// Periods so far inside that the system must detect a crossing.
  package private(set) var inside: [[Stretch]]
  /// Periods so far outside, after a period near the geofence.
  package private(set) var outside: [[Stretch]]
  /// Periods that are not so far outside.
  package private(set) var near: [[Stretch]]
  package private(set) var positions = 0

  private let fences: [Circle]
  private let cushion: Meters
  /// The numbers of the geofences that overlap a cell.
  private var cells: [Cell: [Int]] = [:]
  /// The current state of each geofence, by its number.
  private var known: [Known]
  /// The numbers of the geofences that are near the last position.
  private var nearNow: [Int] = []
  private var last: Date?

  private struct Cell: Hashable {
    var row: Int
    var column: Int
  }

  /// The start of each current period of a geofence.
  private struct Known {
    var inside: Date?
    var outside: Date?
    var near: Date?
  }

  /// The sides of a cell in degrees, about 560 m by 580 m.
  private static let side = (north: 0.005, east: 0.0075)

  package init(_ fences: [Region], _ profile: OSProfile) {
    cushion = profile.regionCushion
    self.fences = fences.compactMap { fence in
      guard case .circle(let circle) = fence.shape else { return nil }
      return Circle(center: circle.center, radius: max(circle.radius, profile.smallestRegion))
    }
    known = self.fences.map { _ in Known() }
    inside = self.fences.map { _ in [] }
    (outside, near) = (inside, inside)
    for (number, fence) in self.fences.enumerated() {
      let reach = fence.radius + cushion + 10
      let north = reach / 111_000
      let east = north / cos(fence.center.latitude * .pi / 180)
      let (low, high) = (
        Self.cell(fence.center.latitude - north, fence.center.longitude - east),
        Self.cell(fence.center.latitude + north, fence.center.longitude + east)
      )
      for row in low.row...high.row {
        for column in low.column...high.column { cells[Cell(row: row, column: column), default: []].append(number) }
      }
    }
  }

  private static func cell(_ latitude: Double, _ longitude: Double) -> Cell {
    Cell(row: Int((latitude / side.north).rounded(.down)), column: Int((longitude / side.east).rounded(.down)))
  }

  package func add(_ fix: Fix) {
    guard last.map({ fix.time >= $0 }) ?? true else { return }
    last = fix.time
    positions += 1
    var nearNumbers: [Int] = []
    for number in cells[Self.cell(fix.coordinate.latitude, fix.coordinate.longitude)] ?? [] {
      let fence = fences[number]
      let distance = GreatCircle.distance(fence.center, fix.coordinate)
      guard distance <= fence.radius + cushion else { continue }
      nearNumbers.append(number)
      setNear(number, isInside: distance < fence.radius - min(cushion, fence.radius / 2), at: fix.time)
    }
    // Both lists are sorted by the numbers.
    var next = 0
    for number in nearNow {
      while next < nearNumbers.count, nearNumbers[next] < number { next += 1 }
      if next == nearNumbers.count || nearNumbers[next] != number { setFar(number, at: fix.time) }
    }
    nearNow = nearNumbers
  }

  private func setNear(_ number: Int, isInside: Bool, at time: Date) {
    if known[number].near == nil { known[number].near = time }
    if isInside {
      if known[number].inside == nil { known[number].inside = time }
    } else {
      Self.end(&known[number].inside, &inside[number], at: time)
    }
    Self.end(&known[number].outside, &outside[number], at: time)
  }

  private func setFar(_ number: Int, at time: Date) {
    Self.end(&known[number].inside, &inside[number], at: time)
    Self.end(&known[number].near, &near[number], at: time)
    known[number].outside = time
  }

  private static func end(_ since: inout Date?, _ kept: inout [Stretch], at time: Date) {
    guard let from = since else { return }
    kept.append(Stretch(from: from, until: time))
    since = nil
  }

  /// Ends all periods. No position follows.
  package func finish(at end: Date) {
    for number in known.indices {
      Self.end(&known[number].inside, &inside[number], at: end)
      Self.end(&known[number].near, &near[number], at: end)
      Self.end(&known[number].outside, &outside[number], at: end)
    }
  }
}
