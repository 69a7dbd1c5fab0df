/// An area with one outer ring and any number of holes, on the sphere: its edges are the shortest lines between neighbouring
/// corners, so that neither the antimeridian nor a pole is anything special. What it encloses is the smaller side.
public struct Polygon: Sendable, Hashable, Codable {
  /// The outer ring first, then the holes; at least three corners each, the first one not repeated at the end.
  public private(set) var rings: [[Coordinate]]

  /// - Parameters:
  ///   - outer: corners of the outer ring, in either direction; a last one that is the first one again is dropped.
  ///   - holes: corners of the holes.
  /// - Throws: ``PolygonFault``, with the ring and the corner.
  public init(outer: [Coordinate], holes: [[Coordinate]] = []) throws(PolygonFault) {
    rings = []
    for (index, corners) in ([outer] + holes).enumerated() {
      var ring = corners
      if ring.count > 1, ring.first == ring.last { ring.removeLast() }
      guard ring.count >= 3 else { throw PolygonFault(ring: index, corner: 0, problem: .tooFewCorners(ring.count)) }
      rings.append(ring)
    }
  }
}

/// One or more polygons that count as one area. They may touch, and where they overlap they are one.
public struct MultiPolygon: Sendable, Hashable, Codable {
  /// At least one.
  public private(set) var polygons: [Polygon]

  /// Nothing where there is no polygon.
  public init?(_ polygons: [Polygon]) {
    guard !polygons.isEmpty else { return nil }
    self.polygons = polygons
  }
}

/// What is wrong with a ring, and where.
public struct PolygonFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// 0: the outer ring; others: the holes.
  public var ring: Int
  /// Index of the corner, from 0.
  public var corner: Int
  public var problem: Problem

  public enum Problem: Sendable, Hashable {
    case tooFewCorners(Int)
  }

  public var description: String {
    switch problem {
    case .tooFewCorners(let count): "a ring needs at least 3 corners, and this one has \(count)"
    }
  }
}
