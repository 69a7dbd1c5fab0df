/// A place on the WGS 84 ellipsoid.
///
///     guard let gate = Coordinate(latitude: 52.5163, longitude: 13.3777) else { return }
///     print(gate.precise, gate.distance(to: other))  // degrees, and metres
///
/// A value of this type is always valid: finite, latitude in −90…90 and longitude in −180…180 degrees. Its description
/// is redacted, because a coordinate in a log reveals a person's location; ``latitude``, ``longitude`` and ``precise``
/// return the numbers.
public struct Coordinate: Sendable, Hashable {
  /// Degrees north, −90…90.
  public let latitude: Degrees
  /// Degrees east, −180…180.
  public let longitude: Degrees

  /// Creates a coordinate; `nil` if a number is not finite or outside its range.
  @inlinable
  public init?(latitude: Degrees, longitude: Degrees) {
    // NaN fails every comparison, so it is rejected as well.
    guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The unredacted numbers: "45.4525956, 14.0181940".
  public var precise: String { "\(latitude), \(longitude)" }
}

extension Coordinate: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "<coordinate>" }
  public var debugDescription: String { description }
}

/// Encoded as an object of two numbers. Decoding an invalid value throws.
extension Coordinate: Codable {
  private enum CodingKeys: CodingKey { case latitude, longitude }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let latitude = try values.decode(Degrees.self, forKey: .latitude)
    let longitude = try values.decode(Degrees.self, forKey: .longitude)
    guard let valid = Coordinate(latitude: latitude, longitude: longitude) else {
      throw DecodingError.dataCorruptedError(
        forKey: .latitude, in: values, debugDescription: "expected −90…90 and −180…180 degrees")
    }
    self = valid
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(latitude, forKey: .latitude)
    try values.encode(longitude, forKey: .longitude)
  }
}
