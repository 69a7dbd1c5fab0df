/// What stands between the phone and the sky, and what radio networks are about.
public enum Environment: String, Sendable, Hashable, Codable, CaseIterable {
  case openSky = "open"
  /// Low houses and trees; also a phone in a pocket or in a car.
  case suburb
  case urban
  /// A street between high houses.
  case canyon
  case indoors
  /// A tunnel or an underground railway.
  case underground
  /// In an aircraft, in flight mode: no radio at all.
  case flight

  /// Whether a receiver can see satellites.
  public var seesSky: Bool {
    switch self {
    case .openSky, .suburb, .urban, .canyon: true
    case .indoors, .underground, .flight: false
    }
  }
}

/// The surroundings outdoors, by place: a grid of squares of about 250 m, each with one permanent kind.
public struct Surroundings: Sendable, Hashable {
  /// Shares of the squares, 0…1; what is left of 1 is `openSky`.
  public var suburb: Double
  public var urban: Double
  public var canyon: Double
  /// Another town has another number.
  public var seed: UInt64

  /// A town as it might be: no survey stands behind the shares.
  public static let town = Surroundings(suburb: 0.45, urban: 0.22, canyon: 0.08)

  /// The same kind everywhere outdoors.
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

/// A square of a grid in degrees. Squares are narrower towards the poles; nothing here needs them equal.
struct GridSquare: Hashable, Sendable {
  var row: Int32
  var column: Int32

  /// - Parameter side: degrees of latitude; a column has a third more of longitude.
  init(latitude: Double, longitude: Double, side: Double) {
    row = Int32((latitude / side).rounded(.down))
    column = Int32((longitude / (side * 4 / 3)).rounded(.down))
  }

  func bits(seed: UInt64) -> UInt64 { RandomSource.bits(seed: seed, row: row, column: column) }
}
