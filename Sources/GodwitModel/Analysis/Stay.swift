public import struct Foundation.Date

/// A time that was spent at one place, found in a track.
public struct Stay: Sendable, Hashable, Codable {
  /// Time of the first position there.
  public var arrival: Date
  /// Time of the first position elsewhere; where the track ends with the stay, of the last one there.
  public var departure: Date
  /// Time of the last position there. Between it and ``departure`` nobody measured: with a gap in the track, the one who
  /// stayed left at some time between the two.
  public var lastSeen: Date
  /// The middle of all positions there.
  public var coordinate: Coordinate
  /// How many positions were there, ≥ 1.
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
