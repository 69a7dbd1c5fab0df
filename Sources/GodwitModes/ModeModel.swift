internal import Foundation
internal import GodwitModel

/// A model of gradient-boosted trees that score each kind of transport (Friedman, Greedy function approximation, 2001). It also
/// contains the frequencies of the kinds and of their transitions.
///
/// The text of a model is the base64 encoding of: the version, 1; the number of kinds; the number of features; the fraction of each
/// kind, and for each kind the fractions of the kinds that follow it within ``KindSequence/maximumPause``, as 32-bit floats; for
/// each feature the number of its limits, and the limits in ascending order as 32-bit floats; for each kind its number of trees, 16
/// bits; the trees of each kind, in prefix order. A node has its feature, with bit 7 set if an unknown value goes to the left, and
/// the index of its limit. A value that is not above the limit goes to the left. A leaf has the byte 127 and its score as a signed
/// 16-bit number in units of 1/4096. Numbers are little-endian.
public struct ModeModel: Sendable {
  /// The reason why a text is not a valid model.
  public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
  }

  /// The built-in model: trained with all labelled people of GeoLife.
  public static let standard: ModeModel = {
    // A test reads this text, which Accuracy/train-modes writes, so reading it cannot fail.
    try! ModeModel(text: ModeWeights.text)
  }()

  private struct Node: Sendable {
    /// Feature of an inner node; ``ModeModel/leaf`` for a leaf.
    var feature: UInt8
    var isLeftUnknown: Bool
    var limit: UInt8
    /// Index of the right child. The left child follows its parent.
    var right: Int32
    var score: Float
  }

  /// Maximum median of the speed in motion of a kind, metres per second: walking as in the trips of the server, and the hour record
  /// on a bicycle (15.8).
  private static let fastest: [(kind: TransportKind, limit: MetersPerSecond)] = [(.walk, 4), (.bicycle, 15.8)]
  private static let leaf: UInt8 = 127
  private static let version: UInt8 = 1
  private static let unit: Float = 1 / 4096
  private static let maximumDepth = 64
  private static let unknown = UInt8.max

  /// Fraction of each kind in the training set, in the order of ``TransportKind``.
  let shares: [Double]
  /// For each kind, the fractions of the kinds that follow it.
  let followers: [[Double]]
  private let limits: [[Float]]
  private var nodes: [Node] = []
  /// Index of the root of each tree, for each kind.
  private var roots: [[Int]] = []

  /// Parses a model.
  /// - Throws: ``Failure`` for an invalid text.
  public init(text: String) throws(Failure) {
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      throw Failure(description: "it is not base64")
    }
    var reader = Reader(bytes: [UInt8](data))
    guard try reader.byte() == Self.version else { throw Failure(description: "its version is not 1") }
    let kinds = Int(try reader.byte())
    guard kinds == TransportKind.allCases.count else { throw Failure(description: "it has \(kinds) kinds of transport") }
    let count = Int(try reader.byte())
    guard count == MovementFeatures.names.count else { throw Failure(description: "it has \(count) features") }
    shares = try Self.readShares(&reader, kinds)
    var followers: [[Double]] = []
    for _ in 0..<kinds { followers.append(try Self.readShares(&reader, kinds)) }
    self.followers = followers
    var limits: [[Float]] = []
    for _ in 0..<count {
      let number = Int(try reader.byte())
      guard number < Int(Self.unknown) else { throw Failure(description: "a feature has 255 limits; at most 254 are possible") }
      var ascending: [Float] = []
      for _ in 0..<number { ascending.append(try reader.float()) }
      guard zip(ascending, ascending.dropFirst()).allSatisfy(<) else { throw Failure(description: "limits are not ascending") }
      limits.append(ascending)
    }
    self.limits = limits
    var trees: [Int] = []
    for _ in 0..<kinds { trees.append(Int(try reader.word())) }
    for number in trees {
      var first: [Int] = []
      for _ in 0..<number {
        first.append(nodes.count)
        try readNode(&reader, depth: 0)
      }
      roots.append(first)
    }
    guard reader.isAtEnd else { throw Failure(description: "bytes follow its last tree") }
  }

  private static func readShares(_ reader: inout Reader, _ count: Int) throws(Failure) -> [Double] {
    var shares: [Double] = []
    for _ in 0..<count { shares.append(Double(try reader.float())) }
    guard shares.allSatisfy({ $0 > 0 && $0 < 1 }) else { throw Failure(description: "a share is not between 0 and 1") }
    return shares
  }

  private mutating func readNode(_ reader: inout Reader, depth: Int) throws(Failure) {
    guard depth < Self.maximumDepth else { throw Failure(description: "a tree is deeper than \(Self.maximumDepth)") }
    let byte = try reader.byte()
    let index = nodes.count
    if byte == Self.leaf {
      let score = Float(Int16(bitPattern: try reader.word())) * Self.unit
      nodes.append(Node(feature: Self.leaf, isLeftUnknown: false, limit: 0, right: 0, score: score))
      return
    }
    let feature = byte & 0x7F
    let limit = try reader.byte()
    guard Int(feature) < limits.count, Int(limit) < limits[Int(feature)].count else {
      throw Failure(description: "a node has an unknown feature or limit")
    }
    nodes.append(Node(feature: feature, isLeftUnknown: byte & 0x80 != 0, limit: limit, right: 0, score: 0))
    try readNode(&reader, depth: depth + 1)
    nodes[index].right = Int32(nodes.count)
    try readNode(&reader, depth: depth + 1)
  }

  /// Returns the probabilities of the kinds for a part of a track.
  public func probabilities(of features: MovementFeatures) -> KindProbabilities {
    let places = zip(limits, features.values).map { limits, value in
      value.isNaN ? Self.unknown : Self.place(of: Float(value), in: limits)
    }
    let scores = roots.map { trees in trees.reduce(Float(0)) { $0 + score(of: $1, places) } }
    let maximum = scores.max() ?? 0
    var weights = scores.map { exp(Double($0 - maximum)) }
    // The trees are not valid for speeds that are missing in the training set, such as a constant 30 m/s.
    for (kind, limit) in Self.fastest where features.medianSpeed > limit { weights[kind.rawValue] = 0 }
    return KindProbabilities(weights: weights)
  }

  private func score(of root: Int, _ places: [UInt8]) -> Float {
    var index = root
    while nodes[index].feature != Self.leaf {
      let node = nodes[index]
      let place = places[Int(node.feature)]
      let isLeft = place == Self.unknown ? node.isLeftUnknown : place <= node.limit
      index = isLeft ? index + 1 : Int(node.right)
    }
    return nodes[index].score
  }

  /// Returns the number of limits below a value.
  private static func place(of value: Float, in limits: [Float]) -> UInt8 {
    var (low, high) = (0, limits.count)
    while low < high {
      let middle = (low + high) / 2
      if limits[middle] < value { low = middle + 1 } else { high = middle }
    }
    // At most 254 limits are read.
    return UInt8(clamping: low)
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0
    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(Failure) -> UInt8 {
      guard position < bytes.count else { throw Failure(description: "it ends in the middle") }
      defer { position += 1 }
      return bytes[position]
    }

    mutating func word() throws(Failure) -> UInt16 { UInt16(try byte()) | UInt16(try byte()) << 8 }

    mutating func float() throws(Failure) -> Float {
      Float(bitPattern: UInt32(try word()) | UInt32(try word()) << 16)
    }
  }
}
