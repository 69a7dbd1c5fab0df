/// An error in a ring, with its place.
public struct PolygonFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// Index of the ring: 0 for the outer ring, then the holes.
  public var ring: Int
  /// Index of the corner, from 0.
  public var corner: Int
  public var problem: Problem

  /// The rule that the corner violates.
  public enum Problem: Sendable, Hashable {
    /// The number of corners.
    case tooFewCorners(Int)
    /// The number of corners of all rings together.
    case tooManyCorners(Int)
    /// The corner equals an earlier corner of the ring.
    case repeatedCorner(Int)
    /// The edge from this corner to the next one meets the edge that starts at the given corner of a ring.
    case edgesCross(ring: Int, corner: Int)
    /// All corners are on one line.
    case noArea
    /// Minimum diameter in metres.
    case tooLarge(Meters)
    /// This corner of a hole is not inside the outer ring.
    case holeOutside
    /// This corner of a hole is inside another hole.
    case holeInHole(ring: Int)
  }

  /// - Parameters:
  ///   - ring: Index of the ring: 0 for the outer ring, then the holes.
  ///   - corner: Index of the corner, from 0.
  ///   - problem: The violated rule.
  public init(ring: Int, corner: Int, problem: Problem) {
    self.ring = ring
    self.corner = corner
    self.problem = problem
  }

  /// A sentence without its full stop, with the ring and the corners.
  public var description: String {
    let name = Self.name(ring)
    switch problem {
    case .tooFewCorners(let count): return "\(name) needs at least 3 corners; it has \(count)"
    case .tooManyCorners(let count): return "a polygon may have \(Polygon.maximumCorners) corners at most; this one has \(count)"
    case .repeatedCorner(let first): return "corner \(corner) of \(name) is the same place as its corner \(first)"
    case .edgesCross(let other, let start):
      return "the edge from corner \(corner) of \(name) meets the edge from corner \(start) of \(Self.name(other))"
    case .noArea: return "\(name) has no area: its corners are on one line"
    case .tooLarge(let width):
      // Rounded up, so that a width slightly above 5000 km is not displayed as 5000 km. At most half of the earth's circumference.
      return "the maximum diameter of a polygon is 5000 km; this one has \(Int((width / 1000).rounded(.up))) km"
    case .holeOutside: return "corner \(corner) of \(name) is not inside the outer ring"
    case .holeInHole(let other): return "corner \(corner) of \(name) is inside \(Self.name(other))"
    }
  }

  private static func name(_ ring: Int) -> String { ring == 0 ? "the outer ring" : "hole \(ring)" }
}
