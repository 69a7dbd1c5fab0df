#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension CapIndex {
  /// Calls a closure for each circle that contains a place, as defined by ``Circle/contains(_:)``. The order depends only on the
  /// circles.
  /// - Parameters:
  ///   - place: The place.
  ///   - margin: Maximum distance in metres from the place to a circle. If negative, the minimum depth of the place inside the
  ///     circle.
  ///   - visit: Called for each circle.
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

  /// Finds the circles that contain a place, into an array. Allocates nothing if the array has enough capacity.
  /// - Parameters:
  ///   - place: The place.
  ///   - margin: Maximum distance in metres from the place to a circle. If negative, the minimum depth of the place inside the
  ///     circle.
  ///   - found: Receives the result and loses its previous elements. The order depends only on the circles.
  public func containing(_ place: Coordinate, margin: Meters = 0, into found: inout [Neighbor]) {
    found.removeAll(keepingCapacity: true)
    forEach(containing: place, margin: margin) { found.append($0) }
  }

  /// Returns the circles that contain a place.
  /// - Parameters:
  ///   - place: The place.
  ///   - margin: Maximum distance in metres from the place to a circle. If negative, the minimum depth of the place inside the
  ///     circle.
  /// - Returns: The circles. The order depends only on the circles.
  public func containing(_ place: Coordinate, margin: Meters = 0) -> [Neighbor] {
    var found: [Neighbor] = []
    containing(place, margin: margin, into: &found)
    return found
  }

  /// Finds the circles that intersect another circle.
  /// - Parameters:
  ///   - circle: The other circle.
  ///   - found: Receives the result, with distances to the centre of `circle`, and loses its previous elements. The order depends
  ///     only on the circles.
  public func intersecting(_ circle: Circle, into found: inout [Neighbor]) {
    containing(circle.center, margin: circle.radius, into: &found)
  }

  /// Finds the circles that intersect the bounding box of a map.
  /// - Parameters:
  ///   - southWest: South-western corner of the box.
  ///   - northEast: North-eastern corner of the box. If its longitude is less than that of the other corner, the box crosses the
  ///     antimeridian.
  ///   - found: Receives the result and loses its previous elements. The order depends only on the circles. Empty if `southWest` is
  ///     north of `northEast`.
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

  /// Traverses the tree.
  /// - Parameters:
  ///   - isWorthwhile: Whether to descend into the branch with these bounds.
  ///   - visit: Called for each remaining leaf.
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

/// A bounding box of a map: an area between two parallels and two meridians.
struct MapBox {
  private let south, north, west: Degrees
  /// Width in degrees from west to east, 0…360.
  private let width: Degrees
  private let corners: (west: (UnitVector, UnitVector), east: (UnitVector, UnitVector))
  /// Normals of the planes of the two meridians, pointing into the box.
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

  /// Returns the distance in metres from a place to the box; 0 inside.
  func distance(to place: Coordinate) -> Meters {
    let east = (place.longitude - west).truncatingRemainder(dividingBy: 360)
    if (east < 0 ? east + 360 : east) <= width {
      let beyond = max(south - place.latitude, place.latitude - north)
      return beyond > 0 ? beyond.radians * GreatCircle.earthRadius : 0
    }
    // The nearest point is on one of the two meridians, which are great circles. If it is on a parallel, the longitude of the place
    // is in the box.
    let vector = UnitVector(place)
    return min(
      GreatArc(corners.west.0, corners.west.1).distance(to: vector),
      GreatArc(corners.east.0, corners.east.1).distance(to: vector))
  }

  /// Returns `false` if no circle within the bounds can intersect the box: all of them are farther south, farther north, or farther
  /// beyond the plane of a meridian than the largest radius. The sine of a distance from a plane is not larger than the distance.
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
