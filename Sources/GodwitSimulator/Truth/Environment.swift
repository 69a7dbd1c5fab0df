/// Kind of the surroundings. It determines the visibility of satellites and the radio networks in range.
public enum Environment: String, Sendable, Hashable, Codable, CaseIterable {
  case openSky = "open"
  /// Low buildings and trees; also a phone in a pocket or in a car.
  case suburb
  case urban
  /// A street between tall buildings.
  case canyon
  case indoors
  /// A tunnel or an underground railway.
  case underground
  /// In an aircraft in flight mode, without any radio.
  case flight

  /// Whether a receiver can see satellites.
  public var seesSky: Bool {
    switch self {
    case .openSky, .suburb, .urban, .canyon: true
    case .indoors, .underground, .flight: false
    }
  }
}

/// The environments outdoors, by place: a grid of squares of about 250 m, each with a fixed environment.
public struct Surroundings: Sendable, Hashable {
  /// Fractions of the squares, 0…1. The remaining squares are `openSky`.
  public var suburb: Double
  public var urban: Double
  public var canyon: Double
  /// Seed of the map. Another seed gives another town.
  public var seed: UInt64

  /// A typical town. The fractions are assumed.
  public static let town = Surroundings(suburb: 0.45, urban: 0.22, canyon: 0.08)

  /// Returns surroundings with the same environment everywhere outdoors.
  public static func only(_ environment: Environment) -> Surroundings {
    Surroundings(
      suburb: environment == .suburb ? 1 : 0, urban: environment == .urban ? 1 : 0, canyon: environment == .canyon ? 1 : 0)
  }

  public init(suburb: Double, urban: Double, canyon: Double, seed: UInt64 = 1) {
    self.suburb = suburb
    self.urban = urban
    self.canyon = canyon
    self.seed = seed
  }

  func kind(in square: GridSquare) -> Environment {
    let number = Double(square.bits(seed: seed) >> 11) * 0x1p-53
    if number < canyon { return .canyon }
    if number < canyon + urban { return .urban }
    return number < canyon + urban + suburb ? .suburb : .openSky
  }
}

/// A square of a grid in degrees. Squares become narrower towards the poles, which does not matter here.
struct GridSquare: Hashable, Sendable {
  var row: Int32
  var column: Int32

  /// - Parameter side: Degrees of latitude. In longitude a square has a third more degrees.
  init(latitude: Double, longitude: Double, side: Double) {
    row = Int32((latitude / side).rounded(.down))
    column = Int32((longitude / (side * 4 / 3)).rounded(.down))
  }

  func bits(seed: UInt64) -> UInt64 { RandomSource.bits(seed: seed, row: row, column: column) }
}
