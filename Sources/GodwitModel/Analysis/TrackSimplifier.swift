/// Removes redundant positions of a track.
///
/// The result is a subset of the positions, in their order, with the first and the last one. Each removed position is within the
/// tolerance of the great circle between the two kept positions around it.
///
/// From the last kept position, each further position outside the tolerance narrows the sector of directions in which a line passes
/// it within the tolerance. A line can end at a position inside the sector that is farther away than all earlier ones. When the
/// sector becomes empty, the last such position is kept, and the search continues from it (Williams, An Efficient Algorithm for the
/// Piecewise Linear Approximation of Planar Curves, Computer Graphics and Image Processing 8, 1978; Zhao and Saalfeld, Linear-Time
/// Sleeve-Fitting Polyline Simplification Algorithms, AutoCarto 13, 1997). At most 32 positions are undecided at a time, so that
/// memory is constant and time is linear for any shape. `Documentation/Analysis.md` compares it with the algorithm of Douglas and
/// Peucker.
///
/// ```swift
/// let kept = TrackSimplifier.kept(of: coordinates, tolerance: 10).map { coordinates[$0] }
/// ```
public struct TrackSimplifier: Sendable {
  /// Maximum number of positions that are undecided until a line can end.
  static let lookahead = 32
  /// Sectors are at most 60° wide to either side, so that two directions can be compared without wrapping around.
  static let minimumCosine = 0.5
  /// Lines are at most a sixth of the earth's circumference long. Beyond that the geometry of a sector is not valid.
  static let minimumCosineOfLength = 0.5

  /// A position with its index in the track.
  private struct Point: Sendable {
    var index: Int
    var vector: UnitVector
  }

  /// A direction in the tangent plane at the last kept position.
  private struct Direction: Sendable {
    var x, y: Double
    func cross(_ other: Direction) -> Double { x * other.y - y * other.x }
    func dot(_ other: Direction) -> Double { x * other.x + y * other.y }
  }

  /// The directions of possible lines from the last kept position.
  private struct Sector: Sendable {
    let origin: UnitVector
    let east: UnitVector
    let north: UnitVector
    /// Square of the chord to the farthest position so far.
    var furthest = 0.0
    /// The rightmost and leftmost directions that pass all positions within the tolerance; `nil` if all directions do.
    var edges: (right: Direction, left: Direction)?

    init(_ origin: UnitVector) {
      self.origin = origin
      (east, north) = origin.tangents
    }
  }

  private let sine: Double
  private let squaredChord: Double
  private var sector: Sector?
  /// The last position at which the line can end.
  private var end: Point?
  /// The positions after `end`.
  private var waiting: [Point] = []
  private var count = 0

  /// Number of undecided positions, 0…``lookahead``.
  var waitingCount: Int { waiting.count }

  /// - Parameter tolerance: Maximum distance in metres of a removed position from the line, ≥ 0. A negative number or NaN counts as
  ///   0.
  public init(tolerance: Meters) {
    // Limited to 1,000 km: half of the earth has no inside.
    let angle = tolerance > 0 ? min(tolerance, 1_000_000) / GreatCircle.earthRadius : 0
    sine = UnitVector.sine(angle)
    squaredChord = UnitVector.squaredChord(of: angle * GreatCircle.earthRadius)
  }

  /// Adds the next position of the track.
  /// - Parameters:
  ///   - coordinate: The position.
  ///   - keep: Receives the indices, from 0, of the positions that are kept. One call can decide on several positions.
  public mutating func add(_ coordinate: Coordinate, keep: (Int) -> Void) {
    let point = Point(index: count, vector: UnitVector(coordinate))
    count += 1
    guard sector != nil else {
      sector = Sector(point.vector)
      keep(point.index)
      return
    }
    process(point, keep)
  }

  /// Ends the track. The last position is kept, with the positions needed for the line to it.
  /// - Parameter keep: Receives the indices of the positions that are kept.
  public mutating func finish(keep: (Int) -> Void) {
    while let end {
      keep(end.index)
      restart(at: end, keep)
    }
    self = TrackSimplifier(sine: sine, squaredChord: squaredChord)
  }

  private init(sine: Double, squaredChord: Double) {
    self.sine = sine
    self.squaredChord = squaredChord
  }

  private mutating func process(_ point: Point, _ keep: (Int) -> Void) {
    switch admit(point) {
    case .asEnd:
      end = point
      waiting.removeAll(keepingCapacity: true)
    case .asPassed where waiting.count < Self.lookahead:
      waiting.append(point)
    case .asPassed, .no:
      // `end` is set, because a line can always end at the first position after the origin.
      guard let end else { return }
      keep(end.index)
      waiting.append(point)
      restart(at: end, keep)
    }
  }

  /// Continues from a kept position with the positions after it.
  private mutating func restart(at origin: Point, _ keep: (Int) -> Void) {
    sector = Sector(origin.vector)
    end = nil
    let again = waiting
    waiting.removeAll(keepingCapacity: true)
    for point in again { process(point, keep) }
  }

  private enum Admission { case asEnd, asPassed, no }

  /// Returns whether a line from the origin can end at a position or at least pass it. Narrows the sector.
  private mutating func admit(_ point: Point) -> Admission {
    guard var now = sector else { return .no }
    defer { sector = now }
    let offset = point.vector.minus(now.origin)
    let chord = offset.dot(offset)
    // A line can end here if all earlier positions are within the tolerance of the origin.
    var isEnd = end == nil || now.furthest <= squaredChord
    if chord <= squaredChord {
      now.furthest = max(now.furthest, chord)
      return isEnd ? .asEnd : .asPassed
    }
    guard point.vector.dot(now.origin) > Self.minimumCosineOfLength else {
      // Too far for a sector. A line can end here only if it has no positions to pass.
      if isEnd { now.furthest = 4 }
      return isEnd ? .asEnd : .no
    }
    // Both tangents are perpendicular to the origin. The difference from the origin is exact for close positions.
    let (x, y) = (offset.dot(now.east), offset.dot(now.north))
    let length = (x * x + y * y).squareRoot()
    guard length > 0 else { return isEnd ? .asEnd : .asPassed }
    let direction = Direction(x: x / length, y: y / length)
    let turnSine = min(sine / length, (1 - Self.minimumCosine * Self.minimumCosine).squareRoot())
    let turnCosine = (1 - turnSine * turnSine).squareRoot()
    let right = Direction(
      x: direction.x * turnCosine + direction.y * turnSine, y: direction.y * turnCosine - direction.x * turnSine)
    let left = Direction(
      x: direction.x * turnCosine - direction.y * turnSine, y: direction.y * turnCosine + direction.x * turnSine)
    guard let edges = now.edges else {
      now.edges = (right, left)
      isEnd = isEnd || chord >= now.furthest
      now.furthest = max(now.furthest, chord)
      return isEnd ? .asEnd : .asPassed
    }
    let middle = Direction(x: edges.right.x + edges.left.x, y: edges.right.y + edges.left.y)
    guard middle.dot(direction) > 0 else { return .no }
    let newRight = edges.right.cross(right) > 0 ? right : edges.right
    let newLeft = edges.left.cross(left) < 0 ? left : edges.left
    guard newRight.cross(newLeft) >= 0 else { return .no }
    isEnd = chord >= now.furthest && edges.right.cross(direction) >= 0 && edges.left.cross(direction) <= 0
    now.edges = (newRight, newLeft)
    now.furthest = max(now.furthest, chord)
    return isEnd ? .asEnd : .asPassed
  }

  /// Returns the indices, from 0, of the positions of a track that are kept.
  /// - Parameters:
  ///   - track: The positions, sorted by time.
  ///   - tolerance: Maximum distance in metres of a removed position from the line, ≥ 0.
  public static func kept(of track: some Sequence<Coordinate>, tolerance: Meters) -> [Int] {
    var simplifier = TrackSimplifier(tolerance: tolerance)
    var kept: [Int] = []
    for place in track { simplifier.add(place) { kept.append($0) } }
    simplifier.finish { kept.append($0) }
    return kept
  }
}
