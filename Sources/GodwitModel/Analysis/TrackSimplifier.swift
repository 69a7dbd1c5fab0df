/// Removes redundant positions of a track.
///
/// What remains are positions of the track, in its order, the first and the last among them, such that each one left out
/// lies within a tolerance of the line (the great circle) between the two that remain around it.
///
/// From the last position that was kept, each further one that lies more than the tolerance away narrows the sector of
/// directions in which a line from there passes it within the tolerance; a line may end at any position inside the sector
/// that is further away than all before it. When the sector is empty, the last such position is kept and the search goes on
/// from it (Williams, An Efficient Algorithm for the Piecewise Linear Approximation of Planar Curves, Computer Graphics and
/// Image Processing 8, 1978; Zhao and Saalfeld, Linear-Time Sleeve-Fitting Polyline Simplification Algorithms, AutoCarto 13,
/// 1997). At most 32 positions wait to be decided upon, so that memory is constant and time grows
/// with the number of positions whatever their shape; `Documentation/Analysis.md` has the comparison with Douglas and Peucker.
///
/// ```swift
/// let kept = TrackSimplifier.kept(of: coordinates, tolerance: 10).map { coordinates[$0] }
/// ```
public struct TrackSimplifier: Sendable {
  /// How many positions may wait for one that a line can end at.
  static let lookahead = 32
  /// Sectors are never wider than 60° to either side, so that two of them can be compared without turning round.
  static let minimumCosine = 0.5
  /// Lines are never longer than a sixth of the way round the earth, where the geometry of a sector holds.
  static let minimumCosineOfLength = 0.5

  /// A position, and where in the track it was.
  private struct Point: Sendable {
    var index: Int
    var vector: UnitVector
  }

  /// A direction on the plane that touches the earth at the last position kept.
  private struct Direction: Sendable {
    var x, y: Double
    func cross(_ other: Direction) -> Double { x * other.y - y * other.x }
    func dot(_ other: Direction) -> Double { x * other.x + y * other.y }
  }

  /// The directions of the lines from the last position kept.
  private struct Sector: Sendable {
    let origin: UnitVector
    let east: UnitVector
    let north: UnitVector
    /// Square of the chord to the furthest position so far.
    var furthest = 0.0
    /// The directions to the right and to the left that still pass everything; `nil`: all of them do.
    var edges: (right: Direction, left: Direction)?

    init(_ origin: UnitVector) {
      self.origin = origin
      (east, north) = origin.tangents
    }
  }

  private let sine: Double
  private let squaredChord: Double
  private var sector: Sector?
  /// The last position that the line may end at.
  private var end: Point?
  /// What came after it.
  private var waiting: [Point] = []
  private var count = 0

  /// How many positions wait to be decided upon, 0…``lookahead``.
  var waitingCount: Int { waiting.count }

  /// - Parameter tolerance: Metres by which what is left out may be off, ≥ 0. Less than 0 or no number counts as 0.
  public init(tolerance: Meters) {
    // More than a thousand kilometres is no tolerance, and half the earth has no inside.
    let angle = tolerance > 0 ? min(tolerance, 1_000_000) / GreatCircle.earthRadius : 0
    sine = UnitVector.sine(angle)
    squaredChord = UnitVector.squaredChord(of: angle * GreatCircle.earthRadius)
  }

  /// Takes the next position of the track.
  /// - Parameters:
  ///   - coordinate: The position.
  ///   - keep: Receives the indices, from 0, that are kept now; one position can decide on several.
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

  /// Ends the track: its last position is kept, and with it what is needed to get there.
  /// - Parameter keep: Receives the indices that are kept.
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
      // There is an end: the first position after the origin always is one.
      guard let end else { return }
      keep(end.index)
      waiting.append(point)
      restart(at: end, keep)
    }
  }

  /// Goes on from a position that was kept, with those that came after it.
  private mutating func restart(at origin: Point, _ keep: (Int) -> Void) {
    sector = Sector(origin.vector)
    end = nil
    let again = waiting
    waiting.removeAll(keepingCapacity: true)
    for point in again { process(point, keep) }
  }

  private enum Admission { case asEnd, asPassed, no }

  /// Whether a line from the origin may end at a position, or may at least pass it; narrows the sector.
  private mutating func admit(_ point: Point) -> Admission {
    guard var now = sector else { return .no }
    defer { sector = now }
    let offset = point.vector.minus(now.origin)
    let chord = offset.dot(offset)
    // All that came before lies within the tolerance of the origin, or there is nothing before.
    var isEnd = end == nil || now.furthest <= squaredChord
    if chord <= squaredChord {
      now.furthest = max(now.furthest, chord)
      return isEnd ? .asEnd : .asPassed
    }
    guard point.vector.dot(now.origin) > Self.minimumCosineOfLength else {
      // Too far for a sector: only a line with nothing to pass can end here.
      if isEnd { now.furthest = 4 }
      return isEnd ? .asEnd : .no
    }
    // The origin is at right angles to both, and the difference to it is exact where the positions are close.
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

  /// The places in a track, counted from 0, of the positions that are kept.
  /// - Parameters:
  ///   - track: The positions, in the order of time.
  ///   - tolerance: Metres by which what is left out may be off, ≥ 0.
  public static func kept(of track: some Sequence<Coordinate>, tolerance: Meters) -> [Int] {
    var simplifier = TrackSimplifier(tolerance: tolerance)
    var kept: [Int] = []
    for place in track { simplifier.add(place) { kept.append($0) } }
    simplifier.finish { kept.append($0) }
    return kept
  }
}
