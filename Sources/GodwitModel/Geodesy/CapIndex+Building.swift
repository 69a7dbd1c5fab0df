extension CapIndex {
  /// Creates an index. Radii are in metres. A circle with a NaN radius is never found.
  /// - Parameter circles: Circles in any order, at most 2,147,483,647, with possible duplicates.
  public init(_ circles: [Circle]) {
    var seeds = Seeds(capacity: circles.count)
    for circle in circles { seeds.append(circle) }
    var skeleton = seeds.skeleton()
    for circle in circles { skeleton.insert(circle) }
    self = skeleton.index()
  }

  /// The values of a circle by which the tree is built.
  fileprivate struct Seed {
    var x, y, z, radius: Float
    var position: Int32

    init(_ circle: Circle, position: Int) {
      let vector = UnitVector(circle.center)
      (x, y, z) = (Float(vector.x), Float(vector.y), Float(vector.z))
      // NaN would spread to the bounds.
      radius = circle.radius == circle.radius ? Float(circle.radius / GreatCircle.earthRadius) : 0
      self.position = Int32(position)
    }
  }

  /// Builds an index from a stream of circles. The stream is read again for the ``Skeleton``, so that no array of all circles is
  /// needed, and building needs no more memory than the finished index.
  package struct Seeds: Sendable {
    private var seeds: [Seed] = []

    /// - Parameter capacity: Expected number of circles.
    package init(capacity: Int) { seeds.reserveCapacity(capacity) }

    package mutating func append(_ circle: Circle) { seeds.append(Seed(circle, position: seeds.count)) }

    /// Builds the tree after all circles were added.
    package consuming func skeleton() -> Skeleton {
      let count = seeds.count
      let leafCount = (count + 7) / 8
      var branches = [Branch](repeating: Branch(), count: max(0, leafCount - 1))
      branches.withUnsafeMutableBufferPointer { branches in
        seeds.withUnsafeMutableBufferPointer { seeds in
          guard leafCount > 0 else { return }
          var growth = Growth(seeds: seeds, branches: branches)
          _ = growth.bounds(ofLeaves: leafCount, from: 0, branch: 0)
        }
      }
      var slots = [Int32](repeating: 0, count: count)
      for (slot, seed) in seeds.enumerated() { slots[Int(seed.position)] = Int32(slot) }
      seeds = []
      return Skeleton(slots: slots, branches: branches, leaves: [Leaf](repeating: Leaf(), count: leafCount))
    }
  }

  /// An index with its tree, to which the circles are added in a second pass.
  package struct Skeleton: Sendable {
    fileprivate let slots: [Int32]
    fileprivate let branches: [Branch]
    fileprivate var leaves: [Leaf]
    private var position = 0

    fileprivate init(slots: [Int32], branches: [Branch], leaves: [Leaf]) {
      (self.slots, self.branches, self.leaves) = (slots, branches, leaves)
    }

    /// Adds a circle. The circles must be the same as in the first pass, in the same order.
    package mutating func insert(_ circle: Circle) {
      guard position < slots.count else { return }
      let slot = Int(slots[position])
      leaves[slot / 8].set(slot % 8, circle, Seed(circle, position: position))
      position += 1
    }

    /// Returns the index after all circles were added a second time.
    package consuming func index() -> CapIndex { CapIndex(count: slots.count, leaves: leaves, branches: branches) }
  }

  /// The slot of each circle for ``circle(inSlot:)``, by its position.
  package var slots: [Int32] {
    var slots = [Int32](repeating: 0, count: count)
    for (number, leaf) in leaves.enumerated() {
      for lane in 0..<8 where leaf.position[lane] >= 0 { slots[Int(leaf.position[lane])] = Int32(number * 8 + lane) }
    }
    return slots
  }

  /// Returns the circle of a slot, exactly as it was added.
  package func circle(inSlot slot: Int32) -> Circle {
    let (leaf, lane) = (leaves[Int(slot) / 8], Int(slot) % 8)
    guard let center = Coordinate(latitude: leaf.latitude[lane], longitude: leaf.longitude[lane]) else {
      // The numbers come from a valid coordinate.
      preconditionFailure("no coordinate in the index")
    }
    return Circle(center: center, radius: leaf.radius[lane])
  }

  private struct Growth {
    let seeds: UnsafeMutableBufferPointer<Seed>
    let branches: UnsafeMutableBufferPointer<Branch>

    /// Partitions the circles of a branch.
    /// - Parameters:
    ///   - count: Number of leaves of the branch, ≥ 1.
    ///   - first: Index of its first leaf.
    ///   - branch: Index of the branch, if it has more than one leaf.
    mutating func bounds(ofLeaves count: Int, from first: Int, branch: Int) -> Bounds {
      let range = first * 8..<min((first + count) * 8, seeds.count)
      var bounds = Bounds()
      for index in range {
        let seed = seeds[index]
        let point = SIMD4(seed.x, seed.y, seed.z, seed.radius)
        bounds.low = pointwiseMin(bounds.low, point)
        bounds.high = pointwiseMax(bounds.high, point)
      }
      if count > 1 {
        let left = count - count / 2
        let middle = (first + left) * 8
        let extent = bounds.high - bounds.low
        let widest = extent.max()
        if extent.x == widest {
          select(middle, in: range) { $0.x }
        } else if extent.y == widest {
          select(middle, in: range) { $0.y }
        } else if extent.z == widest {
          select(middle, in: range) { $0.z }
        } else {
          select(middle, in: range) { $0.radius }
        }
        branches[branch].left = self.bounds(ofLeaves: left, from: first, branch: branch + 1)
        branches[branch].right = self.bounds(ofLeaves: count - left, from: first + left, branch: branch + left)
      }
      bounds.high.w = CapIndex.allowed(Double(bounds.high.w))
      return bounds
    }

    /// Reorders a range so that no element before `middle` is greater than one from there on (Hoare, Algorithm 65: Find,
    /// Communications of the ACM 4, 1961). The loop avoids branches that the processor cannot predict.
    @inline(__always)
    private func select(_ middle: Int, in range: Range<Int>, by key: (Seed) -> Float) {
      var (low, high) = (range.lowerBound, range.upperBound - 1)
      while low < high {
        // Median of three: handles sorted and equal values efficiently.
        let (a, b, c) = (key(seeds[low]), key(seeds[low + (high - low) / 2]), key(seeds[high]))
        let pivot = max(min(a, b), min(max(a, b), c))
        var (i, j) = (low, high)
        while i <= j {
          while key(seeds[i]) < pivot { i += 1 }
          while pivot < key(seeds[j]) { j -= 1 }
          if i <= j {
            seeds.swapAt(i, j)
            i += 1
            j -= 1
          }
        }
        if middle <= j { high = j } else if middle >= i { low = i } else { return }
      }
    }
  }
}

extension CapIndex.Leaf {
  fileprivate mutating func set(_ lane: Int, _ circle: Circle, _ seed: CapIndex.Seed) {
    (x[lane], y[lane], z[lane]) = (seed.x, seed.y, seed.z)
    radius[lane] = circle.radius
    latitude[lane] = circle.center.latitude
    longitude[lane] = circle.center.longitude
    position[lane] = seed.position
  }
}
