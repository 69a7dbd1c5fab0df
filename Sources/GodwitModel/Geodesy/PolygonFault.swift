/// What is wrong with a ring, and where.
public struct PolygonFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// 0: the outer ring; others: the holes.
  public var ring: Int
  /// Index of the corner, from 0.
  public var corner: Int
  public var problem: Problem

  /// The rule of polygons that the corner breaks.
  public enum Problem: Sendable, Hashable {
    /// How many there are.
    case tooFewCorners(Int)
    /// How many there are, all rings together.
    case tooManyCorners(Int)
    /// It is the same place as an earlier corner of the ring.
    case repeatedCorner(Int)
    /// The edge from this corner to the next one meets the edge that begins at a corner of a ring.
    case edgesCross(ring: Int, corner: Int)
    /// All corners are on one line.
    case noArea
    /// Metres that it is across at least.
    case tooLarge(Meters)
    /// This corner of a hole is not inside the outer ring.
    case holeOutside
    /// This corner of a hole is inside another hole.
    case holeInHole(ring: Int)
  }

  /// - Parameters:
  ///   - ring: 0: the outer ring; others: the holes.
  ///   - corner: Index of the corner, from 0.
  ///   - problem: What is wrong with it.
  public init(ring: Int, corner: Int, problem: Problem) {
    self.ring = ring
    self.corner = corner
    self.problem = problem
  }

  /// A sentence without its full stop, which names the ring and the corners where there may be doubt.
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
      // Rounded up, so that it never says that 5000 km are more than 5000 km. Never more than half of the way round the earth.
      return "the maximum diameter of a polygon is 5000 km; this one has \(Int((width / 1000).rounded(.up))) km"
    case .holeOutside: return "corner \(corner) of \(name) is not inside the outer ring"
    case .holeInHole(let other): return "corner \(corner) of \(name) is inside \(Self.name(other))"
    }
  }

  private static func name(_ ring: Int) -> String { ring == 0 ? "the outer ring" : "hole \(ring)" }
}
