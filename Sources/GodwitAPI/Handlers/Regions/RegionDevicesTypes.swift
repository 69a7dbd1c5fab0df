internal import Foundation
internal import GodwitHTTP
internal import GodwitModel
package import GodwitRegions
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitWire

extension RegionDevicesAPI {
  // MARK: Requests

  struct RuleParameters: ParameterList {
    let ifMatch: IfMatch?
  }

  struct DeviceRuleBody: BodyObject {
    let tags: TextArray<TagLimits>?
    let without: TextArray<TagLimits>?
    let groups: TextArray<TagLimits>?
    let regions: TextArray<RegionIDLimits>?
    let evaluate: Bool?

    static let kind = "rule"
    static let schemaName: String? = "RegionRuleBody"
    static let notes: [String: JSONValue] = ["evaluate": ["type": ["boolean", "null"]]]

    var rule: DeviceRegionRule {
      let rule = RegionRule(tags: tags?.words ?? [], without: without?.words ?? [], regions: regions?.words ?? [])
      return DeviceRegionRule(rule: rule, groups: groups?.words ?? [], evaluates: evaluate)
    }
  }

  struct GroupRuleBody: BodyObject {
    let tags: TextArray<TagLimits>?
    let without: TextArray<TagLimits>?
    let regions: TextArray<RegionIDLimits>?

    static let kind = "rule"
    static let schemaName: String? = "GroupRule"

    var rule: RegionRule {
      RegionRule(tags: tags?.words ?? [], without: without?.words ?? [], regions: regions?.words ?? [])
    }
  }

  /// Strings without duplicates, each with a maximum length.
  struct TextArray<Limits: ElementLimits>: BodyValue {
    let words: [String]

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let value = body.any(name) else { return nil }
      guard let list = value as? [Any] else { throw body.fault(name, "expected an array of strings.") }
      var words: [String] = []
      for (index, word) in list.enumerated() {
        guard let word = word as? String, (1...Limits.maximum).contains(word.unicodeScalars.count),
          word.unicodeScalars.allSatisfy({ $0.value >= 32 && !(127..<160).contains($0.value) })
        else {
          throw body.fault(
            "\(name)[\(index)]", "expected text of 1 to \(Limits.maximum) characters, none of them a control character.")
        }
        if !words.contains(word) { words.append(word) }
      }
      return Self(words: words)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "array", "items": ["type": "string", "minLength": 1, "maxLength": .integer(Limits.maximum)]]
    }
    static var sample: Self { Self(words: []) }
  }

  enum TagLimits: ElementLimits { static let maximum = 64 }
  enum RegionIDLimits: ElementLimits { static let maximum = 128 }

  // MARK: Results

  struct DeviceRule: ResultObject {
    var evaluate: Bool?
    var groups: [String]
    var regions: [String]
    var tags: [String]
    var without: [String]

    static let schemaName: String? = "RegionRule"
    static let isClosed = true

    init(_ rule: DeviceRegionRule) {
      (evaluate, groups) = (rule.evaluates, rule.groups)
      (regions, tags, without) = (rule.rule.regions, rule.rule.tags, rule.rule.without)
    }
  }

  struct GroupList: ResultObject {
    var groups: [RegionGroup]
  }

  struct RegionGroup: ResultObject {
    var name: String
    var regions: [String]
    var tags: [String]
    var without: [String]

    static let schemaName: String? = "Group"

    init(name: String, _ rule: RegionRule) {
      self.name = name
      (regions, tags, without) = (rule.regions, rule.tags, rule.without)
    }
  }
}

/// The length of an element of a rule in characters.
protocol ElementLimits: Sendable {
  static var maximum: Int { get }
}

/// The regions that each device should have and the regions that it has.
package struct RegionDeviceList: ResultObject {
  private var devices: [DeviceState]

  package init(_ summaries: [RegionDeviceSummary]) { devices = summaries.map { DeviceState($0) } }
}

/// A device, the regions that it should have, and the regions that it has.
private struct DeviceState: ResultObject {
  struct Total: ResultObject {
    var count: Int
    var digest: String
    static let notes: [String: JSONValue] = ["count": ["minimum": 0]]
  }

  /// The state of the device's regions after its last synchronisation.
  struct Synchronized: ResultObject {
    var count: Int
    var digest: String
    var revision: Int64
    var time: Date
    static let notes: [String: JSONValue] = ["count": ["minimum": 0]]
  }

  var behindSince: Date?
  var current: Bool
  var gets: Total
  var has: Synchronized?
  var name: String
  var rule: RegionDevicesAPI.DeviceRule?

  init(_ summary: RegionDeviceSummary) {
    (name, behindSince) = (summary.device.name, summary.behindSince)
    rule = summary.rule.map { RegionDevicesAPI.DeviceRule($0) }
    gets = Total(count: summary.total.count, digest: summary.total.digest.description)
    has = summary.sync.map {
      Synchronized(count: $0.total.count, digest: $0.total.digest.description, revision: $0.revision, time: $0.time)
    }
    current = summary.sync != nil && summary.behindSince == nil
  }
}
