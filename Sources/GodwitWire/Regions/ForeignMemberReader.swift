internal import GodwitModel
package import GodwitText

/// Reads the members that GeoJSON, KML and OwnTracks have in common, for all regions of a document. Values of an unexpected
/// type are stored unchanged.
package struct ForeignMemberReader {
  package typealias Fault = JSONReader.Fault

  private var unknown = UnknownMembers(areFaults: true)
  private var schedules = ScheduleReader()

  package init() {}

  /// Reads an object.
  /// - Parameters:
  ///   - json: the reader, before the object.
  ///   - foreign: gets the members.
  ///   - hasID: whether the id is known from another source; then the id in the object is stored in the extras.
  package mutating func readObject(
    from json: inout JSONReader, into foreign: inout RegionImporter, hasID: Bool = false
  ) throws(Fault) {
    var others = foreign.others
    foreign.others = UnmappedMembers()
    try others.readObject(from: &json) { (json, key, _) throws(Fault) in
      guard let member = RegionImporter.Member(key, in: json), member != .id || !hasID else { return false }
      return try read(member, key, from: &json, into: &foreign)
    }
    foreign.others = others
  }

  /// Reads the value of a member.
  /// - Parameters:
  ///   - member: the member.
  ///   - key: the name of the member in the text.
  ///   - json: the reader, before the value.
  ///   - foreign: gets the value.
  /// - Returns: `false` if the value must be stored unchanged.
  mutating func read(
    _ member: RegionImporter.Member, _ key: JSONReader.Text, from json: inout JSONReader, into foreign: inout RegionImporter
  ) throws(Fault) -> Bool {
    let kind = try json.kind()
    let start = json.position
    if kind == .null {
      try json.null()
      return true
    }
    switch member {
    case .id: foreign.id = try json.word(RegionValues.id)
    case .name: foreign.name = try json.word(RegionValues.name)
    case .title:
      guard kind == .string else { return false }
      foreign.title = try json.text(RegionValues.name)
    case .radius: foreign.radius = try json.numberOrText(RegionValues.radius)
    case .uuid: guard try foreign.beacon.readUUID(from: &json) else { return false }
    case .major: guard try foreign.beacon.readMajor(from: &json) else { return false }
    case .minor: guard try foreign.beacon.readMinor(from: &json) else { return false }
    case .tags:
      guard kind == .array || kind == .string else { return false }
      foreign.tags = kind == .array ? try json.tags() : try json.commaTags()
    case .dwell: foreign.dwell = try json.numberOrText(RegionValues.dwell)
    case .schedule:
      guard kind == .object else { return false }
      foreign.schedule = try schedules.schedule(from: &json, &unknown)
    case .extras:
      guard kind == .object else { return false }
      foreign.add(extras: try json.skipValue(), of: json)
    }
    if member.isConditional { foreign.add(member, key, start..<json.position, of: json) }
    return true
  }
}

extension JSONReader {
  /// Reads a string that a rule accepts, or the digits of a number.
  mutating func word(_ rule: (String) -> String?) throws(Fault) -> String {
    guard try kind() == .number else { return try text(rule) }
    let start = position
    _ = try number()
    let digits = verbatim(start..<position)
    if let reason = rule(digits) { throw unexpected(reason, at: start) }
    return digits
  }

  /// Reads a number that a rule accepts, also from a string.
  fileprivate mutating func numberOrText(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double {
    guard try kind() == .string else { return try number(rule) }
    let start = position
    guard let value = try quantity(rule) else { throw unexpected("expected a number", at: start) }
    return value
  }

  fileprivate mutating func commaTags() throws(Fault) -> [String] {
    let start = position
    let text = decoded(try string())
    switch CommaTags.read(text) {
    case .success(let tags): return tags
    case .failure(let rejection): throw unexpected(rejection.reason, at: start)
    }
  }
}
