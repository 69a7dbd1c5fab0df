/// The smallest circle around places on the sphere.
struct EnclosingCap {
  /// Unit vector to the centre.
  private var axis: UnitVector
  /// Chord from the centre to the edge, in radii of the earth.
  private var chord: Double

  /// Returns the smallest circle around places, enlarged by at most a millimetre, so that it contains the places and the shortest
  /// lines between them in spite of rounding. Returns the whole earth if the places are not within the hemisphere around their
  /// mean.
  /// - Parameter places: At least one place.
  static func circle(around places: [Coordinate]) -> Circle {
    let vectors = places.map { UnitVector($0) }
    let sum = vectors.reduce(UnitVector(x: 0, y: 0, z: 0)) {
      UnitVector(x: $0.x + $1.x, y: $0.y + $1.y, z: $0.z + $1.z)
    }
    // A circle smaller than a hemisphere contains the lines between the places in it. A larger one may not.
    guard let middle = sum.coordinate, vectors.allSatisfy({ $0.dot(sum) > 0 }) else {
      return Circle(center: places[0], radius: GreatCircle.earthRadius * .pi)
    }
    let center = EnclosingCap(around: vectors).axis.coordinate ?? middle
    let farthest = places.reduce(0) { max($0, GreatCircle.distance(center, $1)) }
    // A line between two places at the edge is as close to the edge as the rounding error of a distance.
    return Circle(center: center, radius: farthest * (1 + 1e-12) + 1e-6)
  }

  /// Starts with one place and repeatedly adds the place that is farthest outside. The circle is always the smallest one around the
  /// added place and the two or three places that define the previous circle. It becomes larger in each step, so that no set of
  /// places occurs twice. A few steps are sufficient.
  private init(around vectors: [UnitVector]) {
    var support = [vectors[0]]
    self.init(axis: vectors[0], chord: 0)
    for _ in 0..<1_000 {
      var farthest = (index: -1, square: Self.squared(chord))
      for (index, vector) in vectors.enumerated() {
        let square = axis.squaredChord(to: vector)
        if square > farthest.square { farthest = (index, square) }
      }
      guard farthest.index >= 0 else { return }
      let point = vectors[farthest.index]
      guard let (cap, points) = Self.smallest(around: support, and: point), cap.chord > chord else { return }
      (self, support) = (cap, points)
    }
  }

  private init(axis: UnitVector, chord: Double) {
    self.axis = axis
    self.chord = chord
  }

  /// Returns the square of a chord, with a margin for rounding errors (6 nm).
  private static func squared(_ chord: Double) -> Double { (chord + 1e-15) * (chord + 1e-15) }

  /// Returns the smallest circle around up to three places with another place on its edge, and the places that define it.
  private static func smallest(
    around support: [UnitVector], and point: UnitVector
  ) -> (cap: EnclosingCap, support: [UnitVector])? {
    var best: (cap: EnclosingCap, support: [UnitVector])?
    var choices = support.map { [$0, point] }
    for (index, first) in support.enumerated() {
      choices += support[(index + 1)...].map { [first, $0, point] }
    }
    for choice in choices {
      guard let cap = EnclosingCap(through: choice), cap.chord < best?.cap.chord ?? .infinity,
        support.allSatisfy({ cap.axis.squaredChord(to: $0) <= squared(cap.chord) })
      else { continue }
      best = (cap, choice)
    }
    return best
  }

  /// Creates the circle with two places at opposite ends, or with three places on its edge. `nil` if the places are too close
  /// together.
  private init?(through points: [UnitVector]) {
    let (a, b) = (points[0], points[1])
    var normal = UnitVector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
    if points.count > 2 {
      normal = b.minus(a).cross(points[2].minus(a))
      if normal.dot(a) < 0 { normal = UnitVector(x: -normal.x, y: -normal.y, z: -normal.z) }
    }
    let length = normal.dot(normal).squareRoot()
    guard length > 0 else { return nil }
    let axis = UnitVector(x: normal.x / length, y: normal.y / length, z: normal.z / length)
    self.axis = axis
    chord = points.reduce(0) { max($0, axis.squaredChord(to: $1)) }.squareRoot()
  }
}
