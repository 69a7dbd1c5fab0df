/// Schedules the phone's beacon scans.
struct BeaconListening: Sendable {
  /// What the phone does with beacons.
  private(set) var use = BeaconUse.none
  private var radio: BeaconRadio

  init(_ beacons: [PlacedBeacon], seed: UInt64) { radio = BeaconRadio(beacons, seed: seed) }

  mutating func set(_ new: BeaconUse, _ board: inout Mainboard) {
    guard board.isOn, new != use else { return }
    use = new
    board.set(.beacons, new == .none ? .zero : board.phone.power(new == .monitoring ? .beaconMonitoring : .beaconRanging))
    if new == .none || radio.beacons.isEmpty { board.cancel(.beacons) } else { board.set(.beacons, at: board.time) }
  }

  mutating func listen(_ board: inout Mainboard) -> WorldEvent? {
    board.set(.beacons, in: use == .ranging ? BeaconRadio.ranging : BeaconRadio.watching)
    let received = radio.listen(at: board.truth().coordinate)
    return received.isEmpty ? nil : .beacons(received)
  }

  /// Stops scanning because the phone has no power. Scanning must be requested again.
  mutating func turnOff() { use = .none }
}
