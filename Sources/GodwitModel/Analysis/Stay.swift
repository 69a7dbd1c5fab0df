public import struct Foundation.Date

/// A stay at one place, found in a track.
public struct Stay: Sendable, Hashable, Codable {
  /// Time of the first position at the place.
  public var arrival: Date
  /// Time of the first position elsewhere. If the track ends with the stay, time of the last position at the place.
  public var departure: Date
  /// Time of the last position at the place. There is no measurement between this time and ``departure``. In a gap of the track,
  /// the stay ended at an unknown time between the two.
  public var lastSeen: Date
  /// Mean of all positions of the stay.
  public var coordinate: Coordinate
  /// Number of positions, ≥ 1.
  public var count: Int

  public init(arrival: Date, departure: Date, lastSeen: Date, coordinate: Coordinate, count: Int) {
    self.arrival = arrival
    self.departure = departure
    self.lastSeen = lastSeen
    self.coordinate = coordinate
    self.count = count
  }

  /// Seconds from arrival to departure, ≥ 0.
  public var duration: Double { departure.timeIntervalSince(arrival) }
}
