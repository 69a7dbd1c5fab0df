internal import GodwitModel
internal import GodwitText

/// What a document in another format says of a beacon, member by member. A value of another kind than ours is left to be kept.
struct BeaconBuilder {
  typealias Fault = JSONReader.Fault

  private(set) var uuid: ProximityUUID?
  private(set) var major: UInt16?
  private(set) var minor: UInt16?

  /// - Returns: Whether the value is one.
  mutating func readUUID(from json: inout JSONReader) throws(Fault) -> Bool {
    guard try json.kind() == .string, let uuid = ProximityUUID(json.decoded(try json.string())) else { return false }
    self.uuid = uuid
    return true
  }

  /// - Returns: Whether the value is one.
  mutating func readMajor(from json: inout JSONReader) throws(Fault) -> Bool {
    guard try json.kind() == .number else { return false }
    major = try json.beaconNumber()
    return true
  }

  /// - Returns: Whether the value is one.
  mutating func readMinor(from json: inout JSONReader) throws(Fault) -> Bool {
    guard try json.kind() == .number else { return false }
    minor = try json.beaconNumber()
    return true
  }

  /// The beacon, where all of it is known.
  var identity: BeaconIdentity? {
    uuid.map { uuid in major.map { BeaconIdentity(uuid: uuid, major: $0, minor: minor) } ?? BeaconIdentity(uuid: uuid) }
  }

  /// OwnTracks' older way to name a beacon: `Name:UUID`, `Name:UUID:1` or `Name:UUID:1:2`. Taken where no UUID is known.
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
  /// A beacon's major or minor number.
  mutating func beaconNumber() throws(Fault) -> UInt16 {
    let value = try number { value, shown in
      UInt16(exactly: value) == nil ? "\(shown) is not a number of a beacon; expected a whole number from 0 to 65535" : nil
    }
    return UInt16(value)
  }
}
