package import CoreLocation
internal import Foundation
package import GodwitModel

/// Looks over the system's shoulder: when its positions were in a fence beyond doubt, and when out of it.
///
/// `@unchecked Sendable`: everything happens on the one thread of the phone.
package final class FenceWitness: @unchecked Sendable {
  /// The first position that was so, and the first one after it that was not.
  package struct Stretch: Sendable, Hashable {
    package var from: Date
    package var until: Date
  }

  /// So deep inside that the system must count a crossing.
  package private(set) var inside: [Int: [Stretch]] = [:]
  /// So far outside, after having been near.
  package private(set) var outside: [Int: [Stretch]] = [:]
  /// Not that far outside.
  package private(set) var near: [Int: [Stretch]] = [:]
  package private(set) var positions = 0

  private let fences: [Circle]
  private let cushion: Meters
  private var cells: [Cell: [Int]] = [:]
  private var insideSince: [Int: Date] = [:]
  private var outsideSince: [Int: Date] = [:]
  private var nearSince: [Int: Date] = [:]
  private var last: Date?

  private struct Cell: Hashable {
    var row: Int
    var column: Int
  }

  /// Degrees of a cell's sides: some 600 m by 580.
  private static let side = (north: 0.005, east: 0.0075)

  package init(_ fences: [Region], _ profile: OSProfile) {
    cushion = profile.regionCushion
    self.fences = fences.compactMap { fence in
      guard case .circle(let circle) = fence.shape else { return nil }
      return Circle(center: circle.center, radius: max(circle.radius, profile.smallestRegion))
    }
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
    var (isNear, isInside): (Set<Int>, Set<Int>) = ([], [])
    for number in cells[Self.cell(fix.coordinate.latitude, fix.coordinate.longitude)] ?? [] {
      let fence = fences[number]
      let distance = GreatCircle.distance(fence.center, fix.coordinate)
      if distance <= fence.radius + cushion { isNear.insert(number) }
      if distance < fence.radius - min(cushion, fence.radius / 2) { isInside.insert(number) }
    }
    change(&inside, &insideSince, isInside, fix.time)
    let left = Set(nearSince.keys).subtracting(isNear)
    change(&near, &nearSince, isNear, fix.time)
    change(&outside, &outsideSince, Set(outsideSince.keys).union(left).subtracting(isNear), fix.time)
  }

  private func change(_ kept: inout [Int: [Stretch]], _ since: inout [Int: Date], _ now: Set<Int>, _ time: Date) {
    for (number, start) in since where !now.contains(number) {
      kept[number, default: []].append(Stretch(from: start, until: time))
      since[number] = nil
    }
    for number in now where since[number] == nil { since[number] = time }
  }

  /// Nothing more will be seen.
  package func finish(at end: Date) {
    change(&inside, &insideSince, [], end)
    change(&near, &nearSince, [], end)
    change(&outside, &outsideSince, [], end)
  }
}
