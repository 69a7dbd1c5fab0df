#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// How much more probable the positions of a part of a track are on rails than elsewhere: natural logarithms of likelihood ratios.
///
/// A position on rails is beside them by a normal distribution; one elsewhere is anywhere around. With rails of the length L on the area A
/// around a position that is d metres beside the nearest, the ratio of both densities is N(d) · A / L. So a position beside rails says much
/// where rails are few, and little in a yard.
///
/// The numbers were chosen with half of the phones of a public set; Documentation/Accuracy.md has the figures.
package struct RailEvidence: Sendable, Hashable {
  /// Of railways and light rail.
  package var train = 0.0
  package var subway = 0.0
  /// A tram is on streets, as cars and buses are.
  package var tram = 0.0

  /// The numbers that were chosen. The accuracy of positions is not among them: parts of trips do not keep it.
  package struct Settings: Sendable, Hashable {
    /// Standard deviation of a position across the rails, metres. It includes that of the map, and the two tracks of a line.
    package var deviation = 20.0
    /// The share of positions that are elsewhere although the part is on rails.
    package var elsewhere = 0.05
    /// What the logarithm of a position counts: the errors of neighbours are alike, and a road along rails is not left after 100 m.
    package var weight = 0.5

    package init() {}
  }

  /// Metres around a position in which rails count.
  static let radius = 500.0
  /// Metres between two positions that count.
  static let spacing = 100.0
  /// Greatest evidence for or against, a ratio of 1,000: a road may follow rails, and a map may lack them.
  static let maximum = 6.9

  /// 0 says nothing.
  package init(train: Double = 0, subway: Double = 0, tram: Double = 0) {
    (self.train, self.subway, self.tram) = (train, subway, tram)
  }

  fileprivate mutating func add(_ rails: NearbyRails, _ settings: Settings) {
    train += rails.train.evidence(settings)
    subway += rails.subway.evidence(settings)
    tram += rails.tram.evidence(settings)
  }

  /// Within the limits.
  fileprivate var limited: RailEvidence {
    func limit(_ value: Double) -> Double { min(max(value, -Self.maximum), Self.maximum) }
    return RailEvidence(train: limit(train), subway: limit(subway), tram: limit(tram))
  }
}

/// The rails around a position.
private struct NearbyRails {
  /// Those of one kind.
  struct Line {
    /// Metres, within ``RailEvidence/radius``.
    var length = 0.0
    /// Metres from the position to the nearest.
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
  /// What the rails around a part of a track say about its means of transport.
  /// - Parameter fixes: In the order of time. Those nearer than 100 m to the last one that counts are left out.
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

  /// The part of an edge within the radius of the middle of a plane.
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

  /// The part of a straight piece within the radius of the origin.
  private static func line(from start: SIMD2<Double>, to end: SIMD2<Double>) -> NearbyRails.Line {
    let length = (end - start).length
    guard length > 0 else { return NearbyRails.Line() }
    let direction = (end - start) / length
    // Metres along the piece to where it is nearest, and from there to the circle.
    let middle = -(start * direction).sum()
    let foot = start + direction * min(max(middle, 0), length)
    let across = (start + direction * middle).length
    guard foot.length < RailEvidence.radius else { return NearbyRails.Line() }
    let half = max(0, RailEvidence.radius * RailEvidence.radius - across * across).squareRoot()
    return NearbyRails.Line(length: max(0, min(middle + half, length) - max(middle - half, 0)), distance: foot.length)
  }
}
