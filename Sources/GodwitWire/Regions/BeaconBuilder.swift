internal import GodwitModel
internal import GodwitText

/// Collects the members of a beacon in a document of another format. A value of an unexpected type is not read, so that the
/// caller can store it unchanged.
struct BeaconBuilder {
  typealias Fault = JSONReader.Fault

  private(set) var uuid: ProximityUUID?
  private(set) var major: UInt16?
  private(set) var minor: UInt16?

  /// - Returns: Whether the value was read.
  mutating func readUUID(from json: inout JSONReader) throws(Fault) -> Bool {
    guard try json.kind() == .string, let uuid = ProximityUUID(json.decoded(try json.string())) else { return false }
    self.uuid = uuid
    return true
  }

  /// - Returns: Whether the value was read.
  mutating func readMajor(from json: inout JSONReader) throws(Fault) -> Bool {
    guard try json.kind() == .number else { return false }
    major = try json.beaconNumber()
    return true
  }

  /// - Returns: Whether the value was read.
  mutating func readMinor(from json: inout JSONReader) throws(Fault) -> Bool {
    guard try json.kind() == .number else { return false }
    minor = try json.beaconNumber()
    return true
  }

  /// The identity of the beacon; `nil` without a UUID.
  var identity: BeaconIdentity? {
    uuid.map { uuid in major.map { BeaconIdentity(uuid: uuid, major: $0, minor: minor) } ?? BeaconIdentity(uuid: uuid) }
  }

  /// Reads OwnTracks' older form of a beacon from a name: `Name:UUID`, `Name:UUID:1` or `Name:UUID:1:2`. The form is
  /// ignored if the UUID is known.
  /// - Returns: The name without the beacon.
  mutating func setName(name: String?) -> String? {
    guard uuid == nil, let parts = name?.split(separator: ":", omittingEmptySubsequences: false), (2...4).contains(parts.count),
      let uuid = ProximityUUID(String(parts[1]))
    else { return name }
    let numbers = parts[2...].map { UInt16($0) }
    guard !numbers.contains(nil) else { return name }
    self.uuid = uuid
    major = numbers.first ?? nil
    minor = numbers.count > 1 ? numbers[1] : nil
    return String(parts[0])
  }
}

extension JSONReader {
  /// Reads a major or minor number of a beacon.
  mutating func beaconNumber() throws(Fault) -> UInt16 {
    let value = try number { value, shown in
      UInt16(exactly: value) == nil ? "\(shown) is not a number of a beacon; expected a whole number from 0 to 65535" : nil
    }
    return UInt16(value)
  }
}
