/// The last requests to the receiver, the beacon radio and the compass.
struct Radios: Sendable {
  private var accuracy: CLLocationAccuracy?
  private var listensForBeacons = false
  private var hasCompassOn = false

  /// Sets the requests.
  /// - Parameters:
  ///   - wanted: the best accuracy that a client requests; `nil`: the receiver can be turned off.
  ///   - beacons: whether to receive beacons.
  ///   - compass: whether to read the compass.
  /// - Returns: the outputs of the requests that changed.
  mutating func ask(for wanted: CLLocationAccuracy?, beacons: Bool, compass: Bool) -> [LocationServices.Output] {
    var outputs: [LocationServices.Output] = []
    if wanted != accuracy {
      accuracy = wanted
      outputs.append(.radio(wanted))
    }
    if beacons != listensForBeacons {
      listensForBeacons = beacons
      outputs.append(.beaconRadio(beacons))
    }
    if compass != hasCompassOn {
      hasCompassOn = compass
      outputs.append(.compass(compass))
    }
    return outputs
  }
}
