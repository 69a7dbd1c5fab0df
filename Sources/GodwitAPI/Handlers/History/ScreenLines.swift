internal import Foundation
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore

/// Reduces many lines to the resolution of a screen. Vertices are snapped to a grid, and each step between two cells is
/// kept once, so that a road of every day is drawn once.
struct ScreenLines {
  /// The width of a cell in units of 1e-7 degrees.
  private let width: Double
  private let height: Double
  /// The visible box.
  private let box: BoundingBox
  private var steps: Set<UInt64> = []
  private var dots: Set<UInt64> = []

  /// - Parameters:
  ///   - box: the box of the map.
  ///   - cell: the size of a cell in metres, > 0.
  init(_ box: BoundingBox, cell: Meters) {
    self.box = box
    height = max(1, cell / Self.metresOfDegree * 1e7)
    // The cosine is bounded, because the width of a degree of longitude approaches 0 at the poles.
    width = height / max(0.01, cos((box.south + box.north) / 2 * .pi / 180))
  }

  /// The length of a degree of latitude in metres.
  private static let metresOfDegree = GreatCircle.earthRadius * .pi / 180

  /// Adds a line and returns its parts with new steps. Each part begins with the vertex before its first new step.
  mutating func add(_ line: [TrackVertex]) -> [[TrackVertex]] {
    guard let first = line.first else { return [] }
    var stretches: [[TrackVertex]] = []
    var stretch: [TrackVertex] = []
    var last = first
    var cell = self.cell(of: first)
    var isInside = contains(first)
    var hasMoved = false
    for vertex in line.dropFirst() {
      let next = self.cell(of: vertex)
      if next.key == cell.key { continue }
      hasMoved = true
      let isNextInside = contains(vertex)
      if isInside || isNextInside || crosses(last, vertex), steps.insert(Self.step(cell, next)).inserted {
        if stretch.isEmpty { stretch.append(last) }
        stretch.append(vertex)
      } else if !stretch.isEmpty {
        stretches.append(stretch)
        stretch = []
      }
      (last, cell, isInside) = (vertex, next, isNextInside)
    }
    if !stretch.isEmpty { stretches.append(stretch) }
    if !hasMoved, isInside, dots.insert(cell.key).inserted { stretches.append([first]) }
    return stretches
  }

  private struct Cell {
    var x: Int32
    var y: Int32
    var key: UInt64 { UInt64(UInt32(bitPattern: x)) << 32 | UInt64(UInt32(bitPattern: y)) }
  }

  @inline(__always)
  private func cell(of vertex: TrackVertex) -> Cell {
    Cell(
      x: Int32((Double(vertex.longitude) / width).rounded(.down)), y: Int32((Double(vertex.latitude) / height).rounded(.down)))
  }

  /// Returns the key of a step. Both directions of a step have the same key.
  @inline(__always)
  private static func step(_ a: Cell, _ b: Cell) -> UInt64 {
    let (low, high) = a.key < b.key ? (a, b) : (b, a)
    // The key combines the first cell and the offset of the second cell in one number.
    let dx = UInt64(truncatingIfNeeded: Int64(high.x) - Int64(low.x))
    let dy = UInt64(truncatingIfNeeded: Int64(high.y) - Int64(low.y))
    return (low.key &* 0x9E37_79B9_7F4A_7C15) ^ ((dx &* 0xC2B2_AE3D_27D4_EB4F) &+ (dy &* 0x1656_67B1_9E37_79F9))
  }

  private func contains(_ vertex: TrackVertex) -> Bool {
    let (latitude, longitude) = (Double(vertex.latitude) / 1e7, Double(vertex.longitude) / 1e7)
    guard latitude >= box.south, latitude <= box.north else { return false }
    return box.west <= box.east
      ? longitude >= box.west && longitude <= box.east : longitude >= box.west || longitude <= box.east
  }

  /// Whether a step between two vertices outside of the box may cross the box: the bounding box of the step intersects it.
  private func crosses(_ a: TrackVertex, _ b: TrackVertex) -> Bool {
    let (south, north) = (Double(min(a.latitude, b.latitude)) / 1e7, Double(max(a.latitude, b.latitude)) / 1e7)
    guard south <= box.north, north >= box.south else { return false }
    let (west, east) = (Double(min(a.longitude, b.longitude)) / 1e7, Double(max(a.longitude, b.longitude)) / 1e7)
    return box.west <= box.east ? west <= box.east && east >= box.west : east >= box.west || west <= box.east
  }
}
