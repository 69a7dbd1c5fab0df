/// A spatial index over circles on the sphere (caps): which are nearest to a place, which contain it, which meet an area.
///
/// It answers with positions in the array that it was made of. It is made once and never changes; to make one of a million
/// circles takes less than half a second, and it holds less than 48 bytes a circle.
///
/// It is a balanced tree that halves the circles by their place (as unit vectors, so that the antimeridian and the poles are
/// nothing special) or by their radius, whichever differs most among them, until eight are left. By the radius too, so that a few
/// large circles come to lie in branches of their own and do not spoil the search among the small ones. Each branch knows a box
/// around the centres and the greatest radius in it.
///
/// The tree is of numbers of single precision, and only leaves out what is surely too far away; what is left is decided with the
/// circle's own numbers by the formula of ``Circle/distanceToEdge(from:)``. So the answers are those of a look at every circle, to
/// the last bit.
public struct CapIndex: Sendable {
  /// How many circles there are.
  public let count: Int
  let leaves: [Leaf]
  /// The branches, each before those below it, the left half first: where a branch of m leaves is, the left one (of m − m / 2
  /// leaves) is the next, and the right one m − m / 2 places after it.
  let branches: [Branch]

  /// Eight circles, as lanes. Those of the last leaf that are not there have position −1.
  struct Leaf {
    var x = SIMD8<Float>(), y = SIMD8<Float>(), z = SIMD8<Float>()
    var radius = SIMD8<Double>(), latitude = SIMD8<Double>(), longitude = SIMD8<Double>()
    var position = SIMD8<Int32>(repeating: -1)
  }

  /// What is below a branch on one side: a box around the centres, x, y, z; as its fourth number the greatest radius, in radii of
  /// the earth and with the allowance of ``CapIndex/allowed(_:)``.
  struct Bounds {
    var low = SIMD4<Float>(repeating: .infinity)
    var high = SIMD4<Float>(repeating: -.infinity)
  }

  struct Branch {
    var left = Bounds(), right = Bounds()
  }

  /// A circle that was found.
  public struct Neighbor: Sendable, Hashable {
    /// Where it is in the array that the index was made of.
    public var position: Int32
    /// Metres to its edge, negative inside: ``Circle/distanceToEdge(from:)``.
    public var distanceToEdge: Meters

    /// - Parameters:
    ///   - position: Where it is in the array that the index was made of.
    ///   - distanceToEdge: Metres to its edge, negative inside.
    public init(position: Int32, distanceToEdge: Meters) {
      self.position = position
      self.distanceToEdge = distanceToEdge
    }
  }

  /// Bytes that it holds.
  public var memory: Int {
    leaves.count * MemoryLayout<Leaf>.stride + branches.count * MemoryLayout<Branch>.stride + MemoryLayout<CapIndex>.size
  }

  /// What is added to a length of the tree before anything is left out because of it: a millionth of it, and a millionth of the
  /// earth's radius (6 m). A coordinate rounded to single precision is off by 3·10⁻⁸ at most, the chord between two such places
  /// by less than 2·10⁻⁷ with the rounding of its squares and sum, a radius or a limit by 10⁻⁷ of itself.
  static func allowed(_ length: Double) -> Float { Float(length + abs(length) * 1e-6 + 1e-6) }
}
