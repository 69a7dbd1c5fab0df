extension CapIndex {
  /// Returns the circles with the nearest edges, sorted by distance. Circles that contain the place come first, starting with the
  /// one in which it is deepest. Circles at equal distance are sorted by position.
  /// - Parameters:
  ///   - k: Maximum number of circles.
  ///   - place: The place.
  ///   - skipped: Positions to leave out.
  /// - Returns: At most `k` circles.
  public func nearest(_ k: Int, to place: Coordinate, skipping skipped: PositionSet? = nil) -> [Neighbor] {
    var found: [Neighbor] = []
    nearest(k, to: place, skipping: skipped, into: &found)
    return found
  }

  /// Finds the circles with the nearest edges, into an array. Allocates nothing if the array has a capacity of `k + 1`.
  /// - Parameters:
  ///   - k: Maximum number of circles.
  ///   - place: The place.
  ///   - skipped: Positions to leave out.
  ///   - found: Receives the result and loses its previous elements.
  /// - Returns: Distance in metres to the edge of the nearest circle that is not in the result, negative inside; `nil` if there is
  ///   none. The result stays valid while the place moves by less than half of the difference between this distance and that of the
  ///   farthest circle found.
  @discardableResult
  public func nearest(
    _ k: Int, to place: Coordinate, skipping skipped: PositionSet? = nil, into found: inout [Neighbor]
  ) -> Meters? {
    found.removeAll(keepingCapacity: true)
    guard k >= 0, count > 0 else { return nil }
    let wanted = k < count ? k + 1 : count
    found.reserveCapacity(wanted)
    for _ in 0..<wanted { found.append(Neighbor(position: -1, distanceToEdge: .infinity)) }
    var size = 0
    found.withUnsafeMutableBufferPointer { buffer in
      var heap = NeighborHeap(buffer)
      search(place, skipping: skipped, into: &heap)
      heap.sort()
      size = heap.count
    }
    let next = size > k ? found[k].distanceToEdge : nil
    found.removeLast(found.count - min(k, size))
    return next
  }

  /// A branch or leaf that was not searched yet.
  private struct Open {
    var bound: Float
    var branch, first, count: Int32
  }

  private func search(_ place: Coordinate, skipping skipped: PositionSet?, into heap: inout NeighborHeap) {
    let observer = GreatCircle.Observer(place)
    let vector = UnitVector(place)
    let point = SIMD4(Float(vector.x), Float(vector.y), Float(vector.z), 0)
    leaves.withUnsafeBufferPointer { leaves in
      branches.withUnsafeBufferPointer { branches in
        // One entry for each level. A tree of 2³¹ circles has 28 levels.
        withUnsafeTemporaryAllocation(of: Open.self, capacity: 32) { stack in
          var height = 0
          var limit = Float.infinity
          var open = Open(bound: -.infinity, branch: 0, first: 0, count: Int32(leaves.count))
          while true {
            while open.count > 1 {
              let branch = branches.baseAddress.unsafelyUnwrapped + Int(open.branch)
              let half = open.count - open.count / 2
              let left = Open(
                bound: Self.bound(branch.pointee.left, point), branch: open.branch + 1, first: open.first, count: half)
              let right = Open(
                bound: Self.bound(branch.pointee.right, point), branch: open.branch + half, first: open.first + half,
                count: open.count / 2)
              let (near, far) = left.bound <= right.bound ? (left, right) : (right, left)
              if far.bound <= limit {
                stack.initializeElement(at: height, to: far)
                height += 1
              }
              open = near
              if open.bound > limit { break }
            }
            if open.bound <= limit {
              let leaf = leaves.baseAddress.unsafelyUnwrapped + Int(open.first)
              let bounds = Self.bounds(of: leaf, point)
              var lanes = Self.lanes(bounds, within: limit)
              while lanes != 0 {
                let lane = lanes.trailingZeroBitCount
                lanes &= lanes - 1
                // An earlier lane may have lowered the limit.
                if bounds[lane] > limit { continue }
                let position = leaf.pointee.position[lane]
                if let skipped, skipped.contains(position) { continue }
                let distance =
                  observer.distance(fromLatitude: leaf.pointee.latitude[lane], longitude: leaf.pointee.longitude[lane])
                  - leaf.pointee.radius[lane]
                if heap.insert(Neighbor(position: position, distanceToEdge: distance)) {
                  limit = Self.allowed(heap.greatest / GreatCircle.earthRadius)
                }
              }
            }
            repeat {
              if height == 0 { return }
              height -= 1
              open = stack[height]
            } while open.bound > limit
          }
        }
      }
    }
  }

  /// Returns a lower bound of the distance to the edge of all circles in the bounds, in radii of the earth. A chord is shorter than
  /// its arc.
  @inline(__always)
  static func bound(_ bounds: Bounds, _ point: SIMD4<Float>) -> Float {
    var outside = greater(greater(bounds.low - point, point - bounds.high), SIMD4(repeating: 0))
    outside.w = 0
    return (outside * outside).sum().squareRoot() - bounds.high.w
  }

  /// Like `pointwiseMax`, which is compiled lane by lane and took a sixth of the time of a search.
  @inline(__always)
  static func greater<Vector: SIMD>(_ a: Vector, _ b: Vector) -> Vector where Vector.Scalar == Float {
    a.replacing(with: b, where: a .< b)
  }

  /// Returns a lower bound of the distance to the edge of each circle of a leaf.
  @inline(__always)
  static func bounds(of leaf: UnsafePointer<Leaf>, _ point: SIMD4<Float>) -> SIMD8<Float> {
    let x = leaf.pointee.x - point.x
    let y = leaf.pointee.y - point.y
    let z = leaf.pointee.z - point.z
    let radius = SIMD8<Float>(leaf.pointee.radius) * Float(1.000001 / GreatCircle.earthRadius)
    return (x * x + y * y + z * z).squareRoot() - (radius + 1e-6)
  }

  /// Returns the lanes whose bounds are within a limit, as bits.
  @inline(__always)
  static func lanes(_ bounds: SIMD8<Float>, within limit: Float) -> UInt32 {
    let bits = SIMD8<Int32>(repeating: 0)
      .replacing(with: SIMD8<Int32>(1, 2, 4, 8, 16, 32, 64, 128), where: bounds .<= SIMD8(repeating: limit))
    return UInt32(truncatingIfNeeded: bits.wrappedSum())
  }
}

/// A heap of the nearest circles found so far, in the caller's memory, with the farthest one on top.
private struct NeighborHeap {
  private let buffer: UnsafeMutableBufferPointer<CapIndex.Neighbor>
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<CapIndex.Neighbor>) { self.buffer = buffer }

  /// Metres. Circles farther away are not needed.
  var greatest: Meters { count == buffer.count ? buffer[0].distanceToEdge : .infinity }

  private static func isFarther(_ a: CapIndex.Neighbor, _ b: CapIndex.Neighbor) -> Bool {
    a.distanceToEdge > b.distanceToEdge || (a.distanceToEdge == b.distanceToEdge && a.position > b.position)
  }

  /// Inserts a circle if it is near enough. Returns whether ``greatest`` may have changed. A NaN distance is ignored.
  mutating func insert(_ neighbor: CapIndex.Neighbor) -> Bool {
    guard neighbor.distanceToEdge == neighbor.distanceToEdge, neighbor.position >= 0 else { return false }
    if count < buffer.count {
      var hole = count
      count += 1
      while hole > 0, Self.isFarther(neighbor, buffer[(hole - 1) / 2]) {
        buffer[hole] = buffer[(hole - 1) / 2]
        hole = (hole - 1) / 2
      }
      buffer[hole] = neighbor
      return count == buffer.count
    }
    guard Self.isFarther(buffer[0], neighbor) else { return false }
    sink(neighbor, count)
    return true
  }

  /// Replaces the top with another circle.
  private func sink(_ neighbor: CapIndex.Neighbor, _ count: Int) {
    var hole = 0
    while true {
      var child = 2 * hole + 1
      guard child < count else { break }
      if child + 1 < count, Self.isFarther(buffer[child + 1], buffer[child]) { child += 1 }
      guard Self.isFarther(buffer[child], neighbor) else { break }
      buffer[hole] = buffer[child]
      hole = child
    }
    buffer[hole] = neighbor
  }

  /// Sorts the circles by distance, the nearest first. No circle may be inserted afterwards.
  func sort() {
    var left = count
    while left > 1 {
      left -= 1
      let last = buffer[left]
      buffer[left] = buffer[0]
      sink(last, left)
    }
  }
}
