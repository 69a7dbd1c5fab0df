/// A spatial index of circles on the sphere (caps). It finds the circles that are nearest to a place, contain a place, or intersect
/// an area.
///
/// Results are positions in the array from which the index was created. An index is immutable. Creating one of a million circles
/// takes less than half a second, and it needs less than 48 bytes per circle.
///
/// The index is a balanced tree. Each branch splits its circles by their position or by their radius, whichever varies most, until
/// eight circles remain. Positions are unit vectors, so that the antimeridian and the poles need no special cases. The split by
/// radius puts a few large circles into their own branches, where they do not slow down the search among small ones. Each branch
/// stores the bounding box of the centres and the largest radius.
///
/// The tree uses single precision, and only excludes circles that are certainly too far away. The remaining circles are checked in
/// double precision with the formula of ``Circle/distanceToEdge(from:)``. The results are therefore equal to those of a linear
/// search, to the last bit.
public struct CapIndex: Sendable {
  /// Number of circles.
  public let count: Int
  let leaves: [Leaf]
  /// The branches in preorder, the left half first. The left child of a branch with m leaves has m − m / 2 leaves and is the next
  /// element. The right child is m − m / 2 elements after the branch.
  let branches: [Branch]

  /// Eight circles, as SIMD lanes. Unused lanes of the last leaf have position −1.
  struct Leaf {
    var x = SIMD8<Float>(), y = SIMD8<Float>(), z = SIMD8<Float>()
    var radius = SIMD8<Double>(), latitude = SIMD8<Double>(), longitude = SIMD8<Double>()
    var position = SIMD8<Int32>(repeating: -1)
  }

  /// Bounds of one side of a branch: the bounding box of the centres in x, y, z. The fourth number is the largest radius, in radii
  /// of the earth and with the margin of ``CapIndex/allowed(_:)``.
  struct Bounds {
    var low = SIMD4<Float>(repeating: .infinity)
    var high = SIMD4<Float>(repeating: -.infinity)
  }

  struct Branch {
    var left = Bounds(), right = Bounds()
  }

  /// A circle in a search result.
  public struct Neighbor: Sendable, Hashable {
    /// Index in the array from which the index was created.
    public var position: Int32
    /// Distance in metres to its edge, negative inside: ``Circle/distanceToEdge(from:)``.
    public var distanceToEdge: Meters

    /// - Parameters:
    ///   - position: Index in the array from which the index was created.
    ///   - distanceToEdge: Distance in metres to its edge, negative inside.
    public init(position: Int32, distanceToEdge: Meters) {
      self.position = position
      self.distanceToEdge = distanceToEdge
    }
  }

  /// Memory of the index in bytes.
  public var memory: Int {
    leaves.count * MemoryLayout<Leaf>.stride + branches.count * MemoryLayout<Branch>.stride + MemoryLayout<CapIndex>.size
  }

  /// Adds a margin for rounding errors to a length of the tree: a millionth of the length, and a millionth of the earth's radius (6
  /// m). The error of a coordinate in single precision is at most 3·10⁻⁸, that of a chord between two such places less than 2·10⁻⁷
  /// including its squares and sum, and that of a radius or a limit 10⁻⁷ of its value.
  static func allowed(_ length: Double) -> Float {
    length.isFinite ? Float(length + abs(length) * 1e-6 + 1e-6) : Float(length)
  }
}
