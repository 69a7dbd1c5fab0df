/// A wifi network with a known position, which replaces the receiver's position while the device is connected to it.
public struct WifiZone: Sendable, Hashable, Codable {
  /// Exact name of the network (SSID).
  public var ssid: String
  public var coordinate: Coordinate

  public init(ssid: String, coordinate: Coordinate) {
    self.ssid = ssid
    self.coordinate = coordinate
  }
}

/// The text form in settings: `Home@52.5163,13.3777`. The last @ is the separator, because names can contain @.
extension WifiZone: LosslessStringConvertible {
  public init?(_ description: String) {
    guard let at = description.lastIndex(of: "@"), at != description.startIndex else { return nil }
    let degrees = description[description.index(after: at)...].split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " } }
    guard degrees.count == 2, let latitude = Double(degrees[0]), let longitude = Double(degrees[1]),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.init(ssid: String(description[..<at]), coordinate: coordinate)
  }

  public var description: String { "\(ssid)@\(coordinate.latitude),\(coordinate.longitude)" }
}
