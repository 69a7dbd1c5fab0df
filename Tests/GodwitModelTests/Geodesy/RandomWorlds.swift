import GodwitModel
import TestTexts

/// Kinds of random sets of circles.
enum RandomWorld: CaseIterable {
  case empty, alone, few, anywhere, aroundPole, overAntimeridian, town, onOnePlace, twins, onEquator, mixedSizes, hugeOnes

  func circles(_ random: inout SeededNumbers) -> [Circle] {
    let count =
      switch self {
      case .empty: 0
      case .alone: 1
      case .few: Int.random(in: 2...20, using: &random)
      default: Int.random(in: 100...400, using: &random)
      }
    let same = random.place()
    return (0..<count).map { index in
      switch self {
      case .empty, .alone, .few, .anywhere: Circle(center: random.place(), radius: random.size(10...100_000))
      case .aroundPole:
        Circle(center: random.place(near: .at(index.isMultiple(of: 3) ? -90 : 90, 0), 300_000), radius: random.size(10...50_000))
      case .overAntimeridian: Circle(center: random.place(near: .at(10, 180), 200_000), radius: random.size(10...50_000))
      case .town: Circle(center: random.place(near: .at(45.5, 14), 5_000), radius: random.size(20...300))
      case .onOnePlace: Circle(center: same, radius: random.size(1...10_000))
      case .twins: Circle(center: .at(Double(index % 7), 3), radius: 100 * Double(1 + index % 3))
      case .onEquator: Circle(center: .at(0, Double(index % 360) - 180), radius: 1_000)
      case .mixedSizes: Circle(center: random.place(), radius: random.size(50...1_000_000))
      case .hugeOnes: Circle(center: random.place(), radius: random.size(1_000...25_000_000))
      }
    }
  }
}

extension Coordinate {
  /// Returns a coordinate from numbers that the test knows to be valid.
  static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    // Tests pass numbers in range.
    Coordinate(latitude: latitude, longitude: longitude)!
  }
}

extension SeededNumbers {
  /// Returns a random coordinate, often at a pole or on the antimeridian.
  mutating func place() -> Coordinate {
    switch Int.random(in: 0..<20, using: &self) {
    case 0: return .at(90, Double.random(in: -180...180, using: &self))
    case 1: return .at(-90, Double.random(in: -180...180, using: &self))
    case 2: return .at(Double.random(in: -90...90, using: &self), 180)
    case 3: return .at(Double.random(in: -90...90, using: &self), -180)
    default: return place(near: .at(Bool.random(using: &self) ? 90 : -90, 0), 10_007_543)
    }
  }

  /// Returns a random coordinate in a circle, more often near its centre than at its edge.
  mutating func place(near center: Coordinate, _ distance: Double) -> Coordinate {
    GreatCircle.destination(
      from: center, course: .random(in: 0..<360, using: &self), distance: .random(in: 0...distance, using: &self))
  }

  /// Returns a random size, more often small than large.
  mutating func size(_ range: ClosedRange<Double>) -> Double {
    let part = Double.random(in: 0...1, using: &self)
    return range.lowerBound + (range.upperBound - range.lowerBound) * part * part * part * part
  }
}
