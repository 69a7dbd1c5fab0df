/// Which radios are on: what was asked of them last.
struct Radios: Sendable {
  private var accuracy: CLLocationAccuracy?
  private var listensForBeacons = false
  private var hasCompassOn = false

  /// - Parameters:
  ///   - wanted: the best accuracy that a client wants; `nil`: the receiver can sleep.
  ///   - beacons: whether beacons are to be listened for.
  ///   - compass: whether headings are wanted.
  /// - Returns: what is something else than before.
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
