#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The evidence for travel on rails, from the positions of a part of a track: natural logarithms of likelihood ratios.
///
/// The distance of a position from its rails has a normal distribution. A position elsewhere is uniformly distributed. With rails
/// of length L in the area A around a position at the distance d from the nearest rail, the ratio of both densities is N(d) · A /
/// L. A position near rails is therefore strong evidence where rails are rare, and weak evidence in a rail yard.
///
/// The parameters were chosen with half of the phones of a public data set. Documentation/Accuracy.md has the figures.
package struct RailEvidence: Sendable, Hashable {
  /// Evidence for railways and light rail.
  package var train = 0.0
  package var subway = 0.0
  /// Evidence for trams. Tracks of trams are on streets, which cars and buses use as well.
  package var tram = 0.0

  /// Parameters of the model. The accuracy of positions is not used, because it is not stored for parts of trips.
  package struct Settings: Sendable, Hashable {
    /// Standard deviation in metres of a position across the rails. It includes the errors of the map and the distance between the
    /// two tracks of a line.
    package var deviation = 20.0
    /// Fraction of positions that are elsewhere although the part is on rails.
    package var elsewhere = 0.05
    /// Weight of the logarithm of a position. The errors of neighbouring positions are correlated, and a road along rails does not
    /// end after 100 m.
    package var weight = 0.5

    package init() {}
  }

  /// Radius in metres around a position in which rails count.
  static let radius = 500.0
  /// Minimum metres between two positions that count.
  static let spacing = 100.0
  /// Maximum absolute evidence, a ratio of 1,000. A road can run along rails, and rails can be missing in the map.
  static let maximum = 6.9

  /// Creates evidence. 0 is neutral.
  package init(train: Double = 0, subway: Double = 0, tram: Double = 0) {
    (self.train, self.subway, self.tram) = (train, subway, tram)
  }

  fileprivate mutating func add(_ rails: NearbyRails, _ settings: Settings) {
    train += rails.train.evidence(settings)
    subway += rails.subway.evidence(settings)
    tram += rails.tram.evidence(settings)
  }

  /// The evidence clamped to ±``maximum``.
  fileprivate var limited: RailEvidence {
    func limit(_ value: Double) -> Double { min(max(value, -Self.maximum), Self.maximum) }
    return RailEvidence(train: limit(train), subway: limit(subway), tram: limit(tram))
  }
}

/// The rails around a position.
private struct NearbyRails {
  /// The rails of one kind.
  struct Line {
    /// Length in metres within ``RailEvidence/radius``.
    var length = 0.0
    /// Distance in metres from the position to the nearest rail.
    var distance = Double.infinity

    mutating func add(_ other: Line) {
      length += other.length
      distance = min(distance, other.distance)
    }

    func evidence(_ settings: RailEvidence.Settings) -> Double {
      guard length > 0 else { return settings.weight * log(settings.elsewhere) }
      let share = distance / settings.deviation
      let normal = exp(-share * share / 2) / (settings.deviation * (2 * Double.pi).squareRoot())
      let area = Double.pi * RailEvidence.radius * RailEvidence.radius
      return settings.weight * log((1 - settings.elsewhere) * normal * area / length + settings.elsewhere)
    }
  }

  var train = Line()
  var subway = Line()
  var tram = Line()

  mutating func add(_ line: Line, of kind: RoadKind) {
    switch kind {
    case .rail, .lightRail: train.add(line)
    case .subway: subway.add(line)
    case .tram: tram.add(line)
    default: break
    }
  }
}

extension RoadGraph {
  /// Returns the evidence of the rails around a part of a track.
  /// - Parameter fixes: Positions sorted by time. A position less than 100 m from the last one that counted is ignored.
  package func railEvidence(
    of fixes: some Sequence<RoadFix>, settings: RailEvidence.Settings = RailEvidence.Settings()
  ) -> RailEvidence {
    var evidence = RailEvidence()
    var last: RoadFix?
    for fix in fixes where last.map({ fix.distance(to: $0) >= RailEvidence.spacing }) ?? true {
      evidence.add(rails(near: fix.point), settings)
      last = fix
    }
    return evidence.limited
  }

  private func rails(near point: RoadPoint) -> NearbyRails {
    let plane = LocalPlane(around: point)
    var rails = NearbyRails()
    var visited: Set<UInt32> = []
    visitEdges(near: point, plane, travel: .rail, radius: RailEvidence.radius) { edge in
      guard visited.insert(edge).inserted else { return }
      rails.add(line(of: Int(edge), plane), of: RoadAttributes(bits: edges[Int(edge)].attributes).kind)
    }
    return rails
  }

  /// Returns the part of an edge within the radius of the origin of a plane.
  private func line(of edge: Int, _ plane: LocalPlane) -> NearbyRails.Line {
    let stored = edges[edge]
    let shape = shape(of: edge)
    var line = NearbyRails.Line()
    var last = plane.position(nodes[Int(stored.from)])
    for index in shape.lowerBound...shape.upperBound {
      let next = plane.position(index < shape.upperBound ? shapePoints[index] : nodes[Int(stored.to)])
      line.add(Self.line(from: last, to: next))
      last = next
    }
    return line
  }

  /// Returns the part of a straight segment within the radius of the origin.
  private static func line(from start: SIMD2<Double>, to end: SIMD2<Double>) -> NearbyRails.Line {
    let length = (end - start).length
    guard length > 0 else { return NearbyRails.Line() }
    let direction = (end - start) / length
    // Distance in metres along the segment to its nearest point, and from there to the circle.
    let middle = -(start * direction).sum()
    let foot = start + direction * min(max(middle, 0), length)
    let across = (start + direction * middle).length
    guard foot.length < RailEvidence.radius else { return NearbyRails.Line() }
    let half = max(0, RailEvidence.radius * RailEvidence.radius - across * across).squareRoot()
    return NearbyRails.Line(length: max(0, min(middle + half, length) - max(middle - half, 0)), distance: foot.length)
  }
}
