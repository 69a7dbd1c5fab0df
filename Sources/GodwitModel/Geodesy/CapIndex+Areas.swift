#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension CapIndex {
  /// Every circle that contains a place, as ``Circle/contains(_:)`` says it, in an order that depends on the circles alone.
  /// - Parameters:
  ///   - place: Where.
  ///   - margin: Metres by which a circle may miss the place, so that these are all within a distance of it; less than 0: by which
  ///     the place must be inside.
  ///   - visit: Is called for each of them.
  public func forEach(containing place: Coordinate, margin: Meters = 0, _ visit: (Neighbor) -> Void) {
    guard margin == margin else { return }
    let observer = GreatCircle.Observer(place)
    let vector = UnitVector(place)
    let point = SIMD4(Float(vector.x), Float(vector.y), Float(vector.z), 0)
    let limit = Self.allowed(margin / GreatCircle.earthRadius)
    descend { bounds in
      Self.bound(bounds, point) <= limit
    } leaf: { leaf in
      var lanes = Self.lanes(Self.bounds(of: leaf, point), within: limit)
      while lanes != 0 {
        let lane = lanes.trailingZeroBitCount
        lanes &= lanes - 1
        let position = leaf.pointee.position[lane]
        let distance =
          observer.distance(fromLatitude: leaf.pointee.latitude[lane], longitude: leaf.pointee.longitude[lane])
          - leaf.pointee.radius[lane]
        if distance <= margin, position >= 0 { visit(Neighbor(position: position, distanceToEdge: distance)) }
      }
    }
  }

  /// The circles that contain a place, as an array; nothing is allocated when it has the capacity.
  /// - Parameters:
  ///   - place: Where.
  ///   - margin: Metres by which a circle may miss the place; less than 0: by which the place must be inside.
  ///   - found: Becomes the answer, in an order that depends on the circles alone; what was in it is gone.
  public func containing(_ place: Coordinate, margin: Meters = 0, into found: inout [Neighbor]) {
    found.removeAll(keepingCapacity: true)
    forEach(containing: place, margin: margin) { found.append($0) }
  }

  /// The circles that contain a place.
  /// - Parameters:
  ///   - place: Where.
  ///   - margin: Metres by which a circle may miss the place; less than 0: by which the place must be inside.
  /// - Returns: In an order that depends on the circles alone.
  public func containing(_ place: Coordinate, margin: Meters = 0) -> [Neighbor] {
    var found: [Neighbor] = []
    containing(place, margin: margin, into: &found)
    return found
  }

  /// The circles that have a place in common with another.
  /// - Parameters:
  ///   - circle: The other one.
  ///   - found: Becomes the answer, in an order that depends on the circles alone, with distances to the other's centre; what was
  ///     in it is gone.
  public func intersecting(_ circle: Circle, into found: inout [Neighbor]) {
    containing(circle.center, margin: circle.radius, into: &found)
  }

  /// The circles that have a place in common with what a map shows.
  /// - Parameters:
  ///   - southWest: A corner of the map.
  ///   - northEast: The corner across. Where its longitude is the lesser one, the map goes over the antimeridian.
  ///   - found: Becomes the answer, in an order that depends on the circles alone; what was in it is gone. Empty where the first
  ///     corner is north of the other one.
  public func intersecting(southWest: Coordinate, northEast: Coordinate, into found: inout [Int32]) {
    found.removeAll(keepingCapacity: true)
    guard southWest.latitude <= northEast.latitude else { return }
    let map = MapBox(southWest: southWest, northEast: northEast)
    descend { bounds in
      map.mayMeet(bounds)
    } leaf: { leaf in
      for lane in 0..<8 {
        let position = leaf.pointee.position[lane]
        guard position >= 0,
          let center = Coordinate(latitude: leaf.pointee.latitude[lane], longitude: leaf.pointee.longitude[lane]),
          map.distance(to: center) <= leaf.pointee.radius[lane]
        else { continue }
        found.append(position)
      }
    }
  }

  /// Goes through the tree.
  /// - Parameters:
  ///   - isWorthwhile: Whether to go into what is in some bounds.
  ///   - visit: Is called for each leaf that is left.
  @inline(__always)
  private func descend(into isWorthwhile: (Bounds) -> Bool, leaf visit: (UnsafePointer<Leaf>) -> Void) {
    guard count > 0 else { return }
    leaves.withUnsafeBufferPointer { leaves in
      branches.withUnsafeBufferPointer { branches in
        withUnsafeTemporaryAllocation(of: (branch: Int32, first: Int32, count: Int32).self, capacity: 32) { stack in
          stack.initializeElement(at: 0, to: (0, 0, Int32(leaves.count)))
          var height = 1
          while height > 0 {
            height -= 1
            var (branch, first, count) = stack[height]
            while count > 1 {
              let sides = branches.baseAddress.unsafelyUnwrapped + Int(branch)
              let half = count - count / 2
              let (left, right) = (isWorthwhile(sides.pointee.left), isWorthwhile(sides.pointee.right))
              if left, right {
                stack.initializeElement(at: height, to: (branch + half, first + half, count / 2))
                height += 1
              }
              if left {
                (branch, count) = (branch + 1, half)
              } else if right {
                (branch, first, count) = (branch + half, first + half, count / 2)
              } else {
                count = 0
              }
            }
            if count == 1 { visit(leaves.baseAddress.unsafelyUnwrapped + Int(first)) }
          }
        }
      }
    }
  }
}

/// What a map shows: between two parallels and two meridians.
struct MapBox {
  private let south, north, west: Degrees
  /// Degrees from west to east, 0…360.
  private let width: Degrees
  private let corners: (west: (UnitVector, UnitVector), east: (UnitVector, UnitVector))
  /// Towards the inside, at right angles to the planes of the two meridians.
  private let inward: (west: SIMD4<Float>, east: SIMD4<Float>)
  private let sines: (south: Float, north: Float)

  init(southWest: Coordinate, northEast: Coordinate) {
    (south, north, west) = (southWest.latitude, northEast.latitude, southWest.longitude)
    let east = northEast.longitude
    width = east >= west ? east - west : east - west + 360
    let places = [west, east].map { longitude in
      [southWest.latitude, northEast.latitude].map { latitude in
        let (latitude, longitude) = (latitude.radians, longitude.radians)
        return UnitVector(x: cos(latitude) * cos(longitude), y: cos(latitude) * sin(longitude), z: sin(latitude))
      }
    }
    corners = ((places[0][0], places[0][1]), (places[1][0], places[1][1]))
    inward = (
      SIMD4(Float(-sin(west.radians)), Float(cos(west.radians)), 0, 0),
      SIMD4(Float(sin(east.radians)), Float(-cos(east.radians)), 0, 0)
    )
    sines = (Float(sin(south.radians)), Float(sin(north.radians)))
  }

  /// Metres from a place to the nearest one on the map, 0 on it.
  func distance(to place: Coordinate) -> Meters {
    let east = (place.longitude - west).truncatingRemainder(dividingBy: 360)
    if (east < 0 ? east + 360 : east) <= width {
      let beyond = max(south - place.latitude, place.latitude - north)
      return beyond > 0 ? beyond.radians * GreatCircle.earthRadius : 0
    }
    // The nearest place is on one of the two meridians, which are great circles; where one on a parallel is nearest, its own
    // longitude is on the map.
    let vector = UnitVector(place)
    return min(
      GreatArc(corners.west.0, corners.west.1).distance(to: vector),
      GreatArc(corners.east.0, corners.east.1).distance(to: vector))
  }

  /// False where no circle within some bounds can be on the map: all of them are south of it, or north, or on the far side of a
  /// meridian's plane, by more than the greatest radius. The sine of a distance to a plane is never more than the distance.
  @inline(__always)
  func mayMeet(_ bounds: CapIndex.Bounds) -> Bool {
    let radius = bounds.high.w
    if bounds.high.z < sines.south - radius - 1e-6 || bounds.low.z > sines.north + radius + 1e-6 { return false }
    let isWest = Self.isBeyond(inward.west, bounds)
    let isEast = Self.isBeyond(inward.east, bounds)
    return width <= 180 ? !(isWest || isEast) : !(isWest && isEast)
  }

  @inline(__always)
  private static func isBeyond(_ inward: SIMD4<Float>, _ bounds: CapIndex.Bounds) -> Bool {
    var maximum = CapIndex.greater(bounds.low * inward, bounds.high * inward)
    maximum.w = 0
    return maximum.sum() < -bounds.high.w - 1e-6
  }
}
