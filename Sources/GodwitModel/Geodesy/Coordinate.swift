/// A place on the WGS 84 ellipsoid.
///
/// A value of this type is always valid: finite, latitude in −90…90 and longitude in −180…180 degrees.
/// Its description is redacted, because a coordinate in a log file is somebody's whereabouts; who needs the
/// numbers asks for ``latitude``, ``longitude`` or ``precise``.
public struct Coordinate: Sendable, Hashable {
  /// Degrees north, −90…90.
  public let latitude: Degrees
  /// Degrees east, −180…180.
  public let longitude: Degrees

  /// Makes a coordinate, or nothing where a number is not finite or lies outside its range.
  @inlinable
  public init?(latitude: Degrees, longitude: Degrees) {
    // NaN fails every comparison, so this refuses it as well.
    guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The numbers, for where somebody really wants to read them: "45.4525956, 14.0181940".
  public var precise: String { "\(latitude), \(longitude)" }
}

extension Coordinate: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String { "<coordinate>" }
  public var debugDescription: String { description }
}

/// As an object of two numbers. What is decoded is valid too, or an error.
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
