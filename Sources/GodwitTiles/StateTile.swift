/// The polygons of states in one tile, decoded.
struct StateTile: Sendable {
  struct State: Sendable {
    let code: String
    let name: String
  }

  /// A ring of a state's polygons: an outer ring or a hole.
  private struct Ring: Sendable {
    let state: Int
    let points: Range<Int>
    let (left, top, right, bottom): (Double, Double, Double, Double)
  }

  private var states: [State] = []
  private var rings: [Ring] = []
  /// The points of all rings, in units of the tile.
  private var xs: [Double] = []
  private var ys: [Double] = []
  private let units: Double

  /// Decodes a layer. Without a layer the tile is only sea.
  init(_ layer: VectorTile.Layer?) throws(VectorTileError) {
    units = Double(layer?.units ?? 1)
    guard let layer else { return }
    for feature in layer.features where feature.kind == .polygon {
      let state = states.count
      states.append(State(code: layer.text("iso", of: feature), name: layer.text("name", of: feature)))
      for part in try layer.parts(of: feature) where part.count > 2 {
        let start = xs.count
        for point in part {
          xs.append(Double(point.x))
          ys.append(Double(point.y))
        }
        let (ringX, ringY) = (xs[start...], ys[start...])
        rings.append(
          Ring(
            state: state, points: start..<xs.count, left: ringX.min() ?? 0, top: ringY.min() ?? 0, right: ringX.max() ?? 0,
            bottom: ringY.max() ?? 0))
      }
    }
  }

  /// Whether a country has a part in the tile.
  func has(_ code: String) -> Bool { states.contains { $0.code == code } }

  /// Whether a state of a country contains a position.
  /// - Parameter place: the tile.
  func contains(_ point: MercatorPoint, in place: TileCoordinate, code: String) -> Bool {
    containing(
      (point.x - place.west) / place.width * units, (point.y - place.north) / place.width * units, code: code) != nil
  }

  /// Returns the state that contains a position, or else the nearest; `nil` if none is near enough.
  /// - Parameters:
  ///   - place: the tile.
  ///   - distance: maximum metres between the position and the polygon.
  ///   - code: restricts the search to states of this country.
  func nearest(
    to point: MercatorPoint, in place: TileCoordinate, within distance: Double, _ scale: GroundScale, code: String? = nil
  ) -> State? {
    let x = (point.x - place.west) / place.width * units
    let y = (point.y - place.north) / place.width * units
    if let inside = containing(x, y, code: code) { return states[inside] }
    var limit = scale.world(meters: distance) / place.width * units
    limit *= limit
    var nearest: State?
    for ring in rings where code == nil || states[ring.state].code == code {
      let (dx, dy) = (max(ring.left - x, x - ring.right, 0), max(ring.top - y, y - ring.bottom, 0))
      guard dx * dx + dy * dy < limit else { continue }
      let squared = squaredDistance(from: x, y, to: ring)
      if squared < limit { (limit, nearest) = (squared, states[ring.state]) }
    }
    return nearest
  }

  /// Returns the first state whose rings a ray to the east crosses an odd number of times.
  private func containing(_ x: Double, _ y: Double, code: String?) -> Int? {
    var (state, isInside) = (-1, false)
    for ring in rings {
      if ring.state != state {
        if isInside { return state }
        state = ring.state
      }
      guard code == nil || states[state].code == code else { continue }
      guard ring.top <= y, y <= ring.bottom, x <= ring.right else { continue }
      var before = ring.points.upperBound - 1
      for index in ring.points {
        let (y1, y2) = (ys[before], ys[index])
        if (y1 > y) != (y2 > y), x < (xs[before] - xs[index]) * (y - y2) / (y1 - y2) + xs[index] { isInside.toggle() }
        before = index
      }
    }
    return isInside ? state : nil
  }

  private func squaredDistance(from x: Double, _ y: Double, to ring: Ring) -> Double {
    var shortest = Double.infinity
    var before = ring.points.upperBound - 1
    for index in ring.points {
      let (ax, ay) = (xs[before], ys[before])
      let (dx, dy) = (xs[index] - ax, ys[index] - ay)
      let length = dx * dx + dy * dy
      let along = length == 0 ? 0 : min(max(((x - ax) * dx + (y - ay) * dy) / length, 0), 1)
      let (px, py) = (ax + along * dx - x, ay + along * dy - y)
      shortest = min(shortest, px * px + py * py)
      before = index
    }
    return shortest
  }
}
