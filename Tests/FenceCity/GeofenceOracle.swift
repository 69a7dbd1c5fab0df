package import CoreLocation
internal import Foundation
package import GodwitModel

/// Looks over the system's shoulder: when its positions were in a fence beyond doubt, and when out of it.
///
/// `@unchecked Sendable`: everything happens on the one thread of the phone.
package final class GeofenceOracle: @unchecked Sendable {
  /// The first position that was so, and the first one after it that was not.
  package struct Stretch: Sendable, Hashable {
    package var from: Date
    package var until: Date
  }

  // By the fence's number.
  /// So deep inside that the system must count a crossing.
  package private(set) var inside: [[Stretch]]
  /// So far outside, after having been near.
  package private(set) var outside: [[Stretch]]
  /// Not that far outside.
  package private(set) var near: [[Stretch]]
  package private(set) var positions = 0

  private let fences: [Circle]
  private let cushion: Meters
  /// Numbers of the fences that reach into a cell.
  private var cells: [Cell: [Int]] = [:]
  /// By number.
  private var known: [Known]
  /// Numbers of those that are near now.
  private var nearNow: [Int] = []
  private var last: Date?

  private struct Cell: Hashable {
    var row: Int
    var column: Int
  }

  /// Since when a fence has been what it is now.
  private struct Known {
    var inside: Date?
    var outside: Date?
    var near: Date?
  }

  /// Degrees of a cell's sides: some 600 m by 580.
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

  package func see(_ fix: Fix) {
    guard last.map({ fix.time >= $0 }) ?? true else { return }
    last = fix.time
    positions += 1
    var isNear: [Int] = []
    for number in cells[Self.cell(fix.coordinate.latitude, fix.coordinate.longitude)] ?? [] {
      let fence = fences[number]
      let distance = GreatCircle.distance(fence.center, fix.coordinate)
      guard distance <= fence.radius + cushion else { continue }
      isNear.append(number)
      come(number, isInside: distance < fence.radius - min(cushion, fence.radius / 2), at: fix.time)
    }
    // Both are in the order of the numbers.
    var next = 0
    for number in nearNow {
      while next < isNear.count, isNear[next] < number { next += 1 }
      if next == isNear.count || isNear[next] != number { goAway(number, at: fix.time) }
    }
    nearNow = isNear
  }

  private func come(_ number: Int, isInside: Bool, at time: Date) {
    if known[number].near == nil { known[number].near = time }
    if isInside {
      if known[number].inside == nil { known[number].inside = time }
    } else {
      Self.end(&known[number].inside, &inside[number], at: time)
    }
    Self.end(&known[number].outside, &outside[number], at: time)
  }

  private func goAway(_ number: Int, at time: Date) {
    Self.end(&known[number].inside, &inside[number], at: time)
    Self.end(&known[number].near, &near[number], at: time)
    known[number].outside = time
  }

  private static func end(_ since: inout Date?, _ kept: inout [Stretch], at time: Date) {
    guard let from = since else { return }
    kept.append(Stretch(from: from, until: time))
    since = nil
  }

  /// Nothing more will be seen.
  package func finish(at end: Date) {
    for number in known.indices {
      Self.end(&known[number].inside, &inside[number], at: end)
      Self.end(&known[number].near, &near[number], at: end)
      Self.end(&known[number].outside, &outside[number], at: end)
    }
  }
}
