internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitModel
package import GodwitRegions
internal import GodwitStore
internal import GodwitWire

/// Which devices get and have which regions: `/api/v1/region-devices`, the rules of devices, and groups.
struct RegionDevicesAPI {
  let work: RequestWork
  let regions: any RegionStore
  let regionChanges: RegionChangeNotifier

  /// Bytes of a rule.
  private static let maximumRule = 1 << 20

  /// `GET /api/v1/region-devices`
  func devices(_ request: HTTPRequest) -> HTTPReply {
    work.later(request) {
      try Self.json(RegionDeviceList(regions.regionDevices()))
    }
  }

  /// `GET /api/v1/devices/NAME/regions`
  func rule(_ request: HTTPRequest) -> HTTPReply {
    let name = request.parameter
    return work.later(request) {
      let device = try Device.named(name, in: work.store)
      return try Self.json(RuleText(try regions.regionRule(device: device.id) ?? DeviceRegionRule()))
    }
  }

  /// `PUT` and `DELETE /api/v1/devices/NAME/regions`
  func setRule(_ request: HTTPRequest) -> HTTPReply {
    let (name, body, isDeleted) = (request.parameter, request.takeBody(), request.method == "DELETE")
    return work.later(request) {
      let device = try Device.named(name, in: work.store)
      let text = isDeleted ? RuleText() : try RuleText.read(body, limit: Self.maximumRule, isDevice: true)
      try regions.setRegionRule(isDeleted ? nil : text.rule, device: device.id, at: Date()) { before in
        try EntityTag.check(request, try Self.json(RuleText(before ?? DeviceRegionRule())))
      }
      regionChanges.refresh()
      return try Self.json(RuleText(text.rule)).tagged
    }
  }

  /// `GET /api/v1/groups`
  func groups(_ request: HTTPRequest) -> HTTPReply {
    work.later(request) {
      let groups = try regions.regionGroups().sorted { $0.key < $1.key }
      return try Self.json(GroupList(groups: groups.map { GroupText(name: $0.key, $0.value) }))
    }
  }

  /// `PUT` and `DELETE /api/v1/groups/NAME/regions`
  func setGroup(_ request: HTTPRequest) -> HTTPReply {
    let (name, body, isDeleted) = (request.parameter, request.takeBody(), request.method == "DELETE")
    return work.later(request) {
      guard Device.isValid(name: name) else {
        throw Problem(
          400, "Bad name", "\"\(name)\" is no name for a group: 1 to 64 letters, digits, blanks and -_.@, as for devices.")
      }
      let text = isDeleted ? RuleText() : try RuleText.read(body, limit: Self.maximumRule, isDevice: false)
      try regions.setRegionGroup(isDeleted ? nil : text.rule.rule, named: name, at: Date())
      regionChanges.refresh()
      return try Self.json(GroupText(name: name, text.rule.rule))
    }
  }

  private static func json(_ value: some Encodable) throws -> HTTPResponse {
    .json(Array(try RegionScan.json(value).utf8) + [0x0A])
  }
}

/// A rule as JSON.
struct RuleText: Encodable {
  var tags: [String] = []
  var without: [String] = []
  var groups: [String]? = []
  var regions: [String] = []
  var evaluate: Bool?

  init() {}

  init(_ rule: DeviceRegionRule) {
    (tags, without, groups) = (rule.rule.tags, rule.rule.without, rule.groups)
    (regions, evaluate) = (rule.rule.regions, rule.evaluates)
  }

  var rule: DeviceRegionRule {
    DeviceRegionRule(
      rule: RegionRule(tags: tags, without: without, regions: regions), groups: groups ?? [], evaluates: evaluate)
  }

  /// Decodes a rule. An unknown member is an error, because it would have no effect.
  /// - Parameter isDevice: whether `groups` and `evaluate` are allowed.
  static func read(_ body: [UInt8], limit: Int, isDevice: Bool) throws(Problem) -> RuleText {
    guard body.count <= limit else {
      throw Problem(413, "Body too large", "A rule may have \(limit) bytes.", at: "byte \(limit)")
    }
    let parsed = try? JSONSerialization.jsonObject(with: Data(body))
    guard let object = parsed as? [String: Any] else {
      throw Problem(
        400, "Not a rule", #"Expected a JSON object such as {"tags":["shops"],"without":["night"]}."#, at: "byte 0")
    }
    var text = RuleText()
    let names = ["tags", "without", "regions"] + (isDevice ? ["groups", "evaluate"] : [])
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      guard names.contains(name) else {
        throw Problem(422, "Not a rule", "unknown field \"\(name)\"; there are \(names.joined(separator: ", ")).", at: name)
      }
      if name == "evaluate" {
        if value is NSNull { continue }
        guard let flag = value as? Bool else {
          throw Problem(422, "Not a rule", "evaluate is true or false, or null for the usual.", at: name)
        }
        text.evaluate = flag
        continue
      }
      guard let list = value as? [Any] else { throw Problem(422, "Not a rule", "\(name) is a list of words.", at: name) }
      var words: [String] = []
      for (index, word) in list.enumerated() {
        let longest = name == "regions" ? 128 : 64
        guard let word = word as? String, !word.isEmpty, word.unicodeScalars.count <= longest,
          word.unicodeScalars.allSatisfy({ $0.value >= 32 && !(127..<160).contains($0.value) })
        else {
          throw Problem(
            422, "Not a rule", "expected text of 1 to \(longest) characters, none of them a control character.",
            at: "\(name)[\(index)]")
        }
        if !words.contains(word) { words.append(word) }
      }
      switch name {
      case "tags": text.tags = words
      case "without": text.without = words
      case "groups": text.groups = words
      default: text.regions = words
      }
    }
    return text
  }
}

private struct GroupList: Encodable { var groups: [GroupText] }

private struct GroupText: Encodable {
  var name: String
  var tags, without, regions: [String]

  init(name: String, _ rule: RegionRule) {
    self.name = name
    (tags, without, regions) = (rule.tags, rule.without, rule.regions)
  }
}

/// Which device should have and has which regions, as JSON.
package struct RegionDeviceList: Encodable {
  private var devices: [DeviceState]

  package init(_ summaries: [RegionDeviceSummary]) { devices = summaries.map(DeviceState.init) }
}

/// A device, the regions it should have, and those it has.
private struct DeviceState: Encodable {
  struct Total: Encodable {
    var digest: String
    var count: Int

    init(_ total: RegionTotal) { (digest, count) = (total.digest.description, total.count) }
  }
  struct Told: Encodable {
    var digest: String
    var count: Int
    var revision: Int64
    var time: String
  }
  var name: String
  var rule: RuleText?
  var gets: Total
  var has: Told?
  var current: Bool
  var behindSince: String?

  private enum CodingKeys: String, CodingKey {
    case name, rule, gets, has, current
    case behindSince = "behind_since"
  }

  init(_ summary: RegionDeviceSummary) {
    name = summary.device.name
    rule = summary.rule.map { RuleText($0) }
    gets = Total(summary.total)
    has = summary.sync.map {
      Told(
        digest: $0.total.digest.description, count: $0.total.count, revision: $0.revision, time: RFC3339.string($0.time))
    }
    current = summary.sync != nil && summary.behindSince == nil
    behindSince = summary.behindSince.map { RFC3339.string($0) }
  }
}
