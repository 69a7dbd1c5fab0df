internal import GodwitModel
internal import GodwitText

// The parts of a region in the format of Godwit's API.

extension Coordinate {
  private enum Member: Int, KnownMember {
    case latitude, longitude
    static let names: [StaticString] = ["latitude", "longitude"]
  }

  /// Reads a center: `{"latitude":…,"longitude":…}`.
  init(center json: inout JSONReader, _ unknown: inout UnknownMembers) throws(JSONReader.Fault) {
    var (latitude, longitude): (Double?, Double?)
    _ = json.peek()
    let start = json.position
    var members = try MemberCursor<Member>(of: &json, expected: "{\"latitude\":…,\"longitude\":…}")
    do throws(JSONReader.Fault) {
      while let member = try members.next(in: &json, &unknown) {
        switch member {
        case .latitude: latitude = try json.number(RegionValues.latitude)
        case .longitude: longitude = try json.number(RegionValues.longitude)
        }
      }
    } catch { throw members.located(error) }
    guard let latitude, let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw json.unexpected("a center needs a latitude and a longitude", at: start)
    }
    self = place
  }
}

extension BeaconIdentity {
  private enum Member: Int, KnownMember {
    case uuid, major, minor
    static let names: [StaticString] = ["uuid", "major", "minor"]
  }

  /// Reads `{"uuid":…,"major":…,"minor":…}`.
  init(from json: inout JSONReader, _ unknown: inout UnknownMembers) throws(JSONReader.Fault) {
    var uuid: ProximityUUID?
    var (major, minor): (UInt16?, UInt16?)
    _ = json.peek()
    let start = json.position
    var members = try MemberCursor<Member>(of: &json, expected: "{\"uuid\":…,\"major\":…,\"minor\":…}")
    do throws(JSONReader.Fault) {
      while let member = try members.next(in: &json, &unknown) {
        if members.isNull, member != .uuid { continue }
        switch member {
        case .uuid: uuid = try ProximityUUID(from: &json)
        case .major: major = try json.beaconNumber()
        case .minor: minor = try json.beaconNumber()
        }
      }
    } catch { throw members.located(error) }
    guard let uuid else { throw json.unexpected("a beacon needs a uuid", at: start) }
    guard let major else {
      if minor != nil { throw json.unexpected("a minor number needs a major one", at: start, path: ".minor") }
      self.init(uuid: uuid)
      return
    }
    self.init(uuid: uuid, major: major, minor: minor)
  }
}

extension ProximityUUID {
  fileprivate init(from json: inout JSONReader) throws(JSONReader.Fault) {
    _ = json.peek()
    let start = json.position
    let text = try json.text { _ in nil }
    guard let uuid = ProximityUUID(text) else {
      throw json.unexpected(
        "\(text.prefix(40).debugDescription) is not a UUID; expected one such as F7826DA6-4FA2-4E98-8024-BC5B71E0893E", at: start)
    }
    self = uuid
  }
}

extension JSONReader {
  /// Reads the revision of a region on a server.
  mutating func revision() throws(Fault) -> Int64 {
    let value = try number { value, shown in
      value >= 0 && value <= 9_007_199_254_740_992 && value == value.rounded() ? nil : "\(shown) is not a revision"
    }
    return Int64(value)
  }

  /// Reads the tags of a region.
  mutating func tags() throws(Fault) -> [String] {
    var tags: [String] = []
    try forEachElement { (json, index) throws(Fault) in
      let start = json.position
      let tag = try json.text(RegionValues.tag)
      guard index < RegionRules.tagCount.upperBound else {
        throw json.unexpected("there are too many; expected \(RegionRules.Member.tags.expected)", at: start)
      }
      guard !tags.contains(tag) else {
        throw json.unexpected("the tag \(tag.debugDescription) is given twice", at: start)
      }
      tags.append(tag)
    }
    return tags
  }

  /// Reads the extras of a region; `nil` for an empty object.
  mutating func extras() throws(Fault) -> String? {
    guard try kind() == .object else { throw unexpected("expected an object", at: position) }
    let range = try skipValue()
    let text = JSONObjectText.compacted(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    guard let text else { return nil }
    guard RegionRules.extrasSize.contains(text.count) else {
      throw unexpected(
        "there are \(text.count) bytes; expected \(RegionRules.Member.extras.expected)", at: range.lowerBound)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
