internal import Foundation

/// A source of sightings of beacons: a radio, or a test.
package protocol BeaconSource: Sendable {
  /// Whether the machine has the required hardware.
  var isAvailable: Bool { get }
  /// Receives beacons until the task is cancelled. `tell` returns when the event has been handled.
  func run(_ tell: @escaping @Sendable (BeaconEvent) async -> Void) async throws
}

extension BeaconSource {
  package var isAvailable: Bool { true }
}

/// The events of a source of beacons.
package enum BeaconEvent: Sendable, Hashable {
  /// Beacons that were just received.
  case sightings([Beacons.Sighting])
  /// No beacon can currently be received; the text is a sentence with the reason and what to do.
  case unavailable(String)
}

extension Beacons.Sighting {
  /// Apple's Bluetooth company identifier.
  package static let company: UInt16 = 0x004C
  /// The exact length of an advertisement: type and length, UUID, major, minor, power.
  private static let length = 2 + 16 + 2 + 2 + 1

  /// Parses the manufacturer data of a beacon: 02 15, the UUID, major and minor (big-endian), and the signal strength at 1 m in
  /// dBm (two's complement). `nil` for other data that Apple's devices advertise.
  ///
  /// Source: Proximity Beacon Specification, Apple, release R1, "Advertisement".
  /// - Parameters:
  ///   - advertisement: the data after the company identifier.
  ///   - rssi: the signal strength that the radio reports, in dBm. A value outside −126…−1 counts as not measured.
  package init?(advertisement: [UInt8], rssi: Int?) {
    guard advertisement.count == Self.length, advertisement[0] == 0x02, advertisement[1] == 0x15 else { return nil }
    let text = advertisement[2..<18].map { String(format: "%02X", $0) }
    let parts = [text[0..<4], text[4..<6], text[6..<8], text[8..<10], text[10..<16]].map { $0.joined() }
    guard let uuid = UUID(uuidString: parts.joined(separator: "-")) else { return nil }
    self.init(
      uuid: uuid, major: UInt16(advertisement[18]) << 8 | UInt16(advertisement[19]),
      minor: UInt16(advertisement[20]) << 8 | UInt16(advertisement[21]),
      rssi: rssi.flatMap { (-126 ... -1).contains($0) ? $0 : nil } ?? 0,
      powerAtOneMeter: Int(Int8(bitPattern: advertisement[22])))
  }
}
