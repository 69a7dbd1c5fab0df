internal import Foundation
package import GodwitModel

/// The share of a line that was found, without knowledge of the roads: a piece counts as found if the other line has a piece beside it in
/// the same direction.
///
/// The mismatch is that of Newson and Krumm (Hidden Markov map matching through noise and sparseness, 2009): the missing and the surplus
/// length, divided by the true length.
package struct LineScore: Sendable {
  /// The maximum distance in metres between the two lines. Positions of a road in the two files agree to a metre, and the roadways of a
  /// street are farther apart or have opposite directions.
  package static let tolerance = 10.0
  /// Metres between the points of a line that are compared.
  package static let step = 10.0

  /// Metres of the true line, of its part with a given line beside it, of the given lines, and of their parts without a true line beside
  /// them.
  package private(set) var truth = 0.0
  package private(set) var found = 0.0
  package private(set) var given = 0.0
  package private(set) var wrong = 0.0

  package init() {}

  /// The share of the true length that is found, 0…1; 1 without a true line.
  package var share: Double { truth > 0 ? found / truth : 1 }
  /// The missing and the surplus length, divided by the true length.
  package var mismatch: Double { truth > 0 ? (truth - found + wrong) / truth : 0 }

  package mutating func add(_ other: LineScore) {
    truth += other.truth
    found += other.found
    given += other.given
    wrong += other.wrong
  }

  /// Adds a true line and the lines that were given for it. All lines must be within some hundred kilometres.
  package mutating func add(truth line: [Coordinate], given lines: [[Coordinate]]) {
    guard let origin = line.first ?? lines.lazy.compactMap(\.first).first else { return }
    let truth = Self.pieces(of: line, around: origin)
    let given = lines.flatMap { Self.pieces(of: $0, around: origin) }
    self.truth += truth.reduce(0) { $0 + $1.length }
    self.given += given.reduce(0) { $0 + $1.length }
    found += Self.length(of: truth, beside: given)
    wrong += given.reduce(0) { $0 + $1.length } - Self.length(of: given, beside: truth)
  }

  /// Returns the distance of a position from a line in metres; infinite without a line.
  package static func distance(of place: Coordinate, from line: [Coordinate]) -> Double {
    pieces(of: line, around: place).map { $0.distance(to: .zero) }.min() ?? .infinity
  }

  /// A straight piece, in metres to the east and to the north.
  private struct Piece {
    var start: SIMD2<Double>
    var vector: SIMD2<Double>
    var length: Double

    /// Returns the distance of a point in metres.
    func distance(to point: SIMD2<Double>) -> Double {
      let along = ((point - start) * vector).sum() / (length * length)
      let off = point - start - vector * min(max(along, 0), 1)
      return (off * off).sum().squareRoot()
    }
  }

  private static func pieces(of line: [Coordinate], around origin: Coordinate) -> [Piece] {
    let metres = GreatCircle.earthRadius * .pi / 180
    let east = metres * cos(origin.latitude * .pi / 180)
    let points = line.map { SIMD2(($0.longitude - origin.longitude) * east, ($0.latitude - origin.latitude) * metres) }
    return zip(points, points.dropFirst()).compactMap { start, end in
      let vector = end - start
      let length = (vector * vector).sum().squareRoot()
      return length > 0 ? Piece(start: start, vector: vector, length: length) : nil
    }
  }

  /// Returns the length of the parts with a piece of other lines beside them whose direction differs by less than 60 degrees.
  private static func length(of pieces: [Piece], beside others: [Piece]) -> Double {
    pieces.reduce(0) { sum, piece in
      let aligned = others.filter { (piece.vector * $0.vector).sum() > 0.5 * piece.length * $0.length }
      let count = max(1, Int(min((piece.length / step).rounded(.up), 1e6)))
      let beside = (0..<count).count { index in
        let point = piece.start + piece.vector * ((Double(index) + 0.5) / Double(count))
        return aligned.contains { $0.distance(to: point) <= tolerance }
      }
      return sum + piece.length * Double(beside) / Double(count)
    }
  }
}
