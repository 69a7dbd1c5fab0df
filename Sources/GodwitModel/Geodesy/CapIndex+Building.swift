extension CapIndex {
  /// Makes an index. Radii are metres; a circle whose radius is not a number is never found.
  /// - Parameter circles: In any order, up to 2,147,483,647 of them; the same circle may come more than once.
  public init(_ circles: [Circle]) {
    count = circles.count
    let leafCount = (circles.count + 7) / 8
    guard leafCount > 0 else {
      (leaves, branches) = ([], [])
      return
    }
    var seeds: [Seed] = []
    seeds.reserveCapacity(circles.count)
    for (position, circle) in circles.enumerated() {
      let vector = UnitVector(circle.center)
      // Not a number would make boxes of it.
      let radius = circle.radius == circle.radius ? Float(circle.radius / GreatCircle.earthRadius) : 0
      seeds.append(
        Seed(x: Float(vector.x), y: Float(vector.y), z: Float(vector.z), radius: radius, position: Int32(position)))
    }
    var branches = [Branch](repeating: Branch(), count: leafCount - 1)
    branches.withUnsafeMutableBufferPointer { branches in
      seeds.withUnsafeMutableBufferPointer { seeds in
        var growth = Growth(seeds: seeds, branches: branches)
        _ = growth.bounds(ofLeaves: leafCount, from: 0, branch: 0)
      }
    }
    self.branches = branches
    leaves = [Leaf](unsafeUninitializedCapacity: leafCount) { leaves, initialized in
      circles.withUnsafeBufferPointer { circles in
        for index in 0..<leafCount {
          var leaf = Leaf()
          let first = index * 8
          for lane in 0..<min(8, circles.count - first) {
            let seed = seeds[first + lane]
            let circle = circles[Int(seed.position)]
            leaf.x[lane] = seed.x
            leaf.y[lane] = seed.y
            leaf.z[lane] = seed.z
            leaf.radius[lane] = circle.radius
            leaf.latitude[lane] = circle.center.latitude
            leaf.longitude[lane] = circle.center.longitude
            leaf.position[lane] = seed.position
          }
          leaves.initializeElement(at: index, to: leaf)
        }
      }
      initialized = leafCount
    }
  }

  /// What the tree is made by.
  private struct Seed {
    var x, y, z, radius: Float
    var position: Int32
  }

  private struct Growth {
    let seeds: UnsafeMutableBufferPointer<Seed>
    let branches: UnsafeMutableBufferPointer<Branch>

    /// Brings the circles of a branch into their order.
    /// - Parameters:
    ///   - count: How many leaves it has, ≥ 1.
    ///   - first: Its first leaf.
    ///   - branch: Its place among the branches, where it has more than one leaf.
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

    /// Reorders a range so that nothing before `middle` is greater than anything from there on (Hoare, Algorithm 65: Find,
    /// Communications of the ACM 4, 1961), without a branch that a processor would have to guess.
    @inline(__always)
    private func select(_ middle: Int, in range: Range<Int>, by key: (Seed) -> Float) {
      var (low, high) = (range.lowerBound, range.upperBound - 1)
      while low < high {
        // The median of three: sorted and equal values do no harm.
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
