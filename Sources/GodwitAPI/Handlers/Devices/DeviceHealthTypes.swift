internal import Foundation
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore

extension HeartbeatExpectation.Origin: DocumentedValue {}

extension DeviceHealthAPI {
  // MARK: All devices

  struct HealthList: ResultObject {
    var now: Date
    var outages: [Outage]
    var devices: [DeviceHealth]
    static let notes: [String: JSONValue] = ["outages": "Times without a running server."]
  }

  struct Outage: ResultObject {
    var from: Date
    var to: Date

    static let schemaName: String? = "Outage"

    init(_ outage: HeartbeatTables.Outage) { (from, to) = (outage.began, outage.ended) }
  }

  struct DeviceHealth: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case name
      case owner
      case points
      case tokens
      case first
      case lastContact
      case last
      case missing
      case gaps
      case rejected
      case dropped
      case damagedDays
      case agent
      case contact
      case settings
    }

    var name: String
    @Nullable var owner: String?
    var points: Int
    var tokens: Int
    @Nullable var first: Date?
    @Nullable var lastContact: Date?
    @Nullable var last: PointFeatureResult?
    var missing: Int
    var gaps: Int
    var rejected: Int
    var dropped: Int
    var damagedDays: [String]
    @Nullable var agent: String?
    var contact: OfflinePeriod
    @Nullable var settings: SettingsState?

    static let schemaName: String? = "DeviceHealth"
    private static let count: JSONValue = ["minimum": 0]
    static let notes: [String: JSONValue] = [
      "points": count, "tokens": count, "gaps": count,
      "first": "The time of the oldest point.", "last": "The newest point.",
      "missing": ["minimum": 0, "description": "Records that the device numbered and that never came."],
      "rejected": ["minimum": 0, "description": "Rejected records that are open."],
      "dropped": ["minimum": 0, "description": "Rejected records that were dropped, because there were too many."],
      "damaged_days":
        "Days (UTC) with stored points that cannot be read, because the disk changed them, such as `2026-03-01 to 2026-03-04`.",
      "agent": "The program that sends, as it calls itself.", "settings": "The newest change of its settings.",
    ]
  }

  enum ContactState: String, Codable, CaseIterable, DocumentedValue {
    /// The device has never sent anything.
    case never
    case received = "online"
    /// The time since the last contact is longer than expected.
    case offline
  }

  struct OfflinePeriod: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case state
      case since
      case noticed
      case seconds
      case thresholdSeconds
      case usualSeconds
      case origin
      case notices
      case text
    }

    var state: ContactState
    /// This member and the next five are absent for a device that has never sent anything.
    var since: Date?
    var noticed: Nullable<Date>?
    var seconds: Int?
    var thresholdSeconds: Nullable<Int>?
    var usualSeconds: Nullable<Int>?
    var origin: HeartbeatExpectation.Origin?
    var notices: Bool
    var text: String

    static let schemaName: String? = "Contact"
    static let notes: [String: JSONValue] = [
      "since": "The last contact.", "noticed": "When it was found offline.", "seconds": ["minimum": 0],
      "threshold_seconds": "Seconds without contact after which it is offline; null: never.",
      "usual_seconds": "The usual seconds without contact; null: unknown.", "origin": "Of what the threshold follows.",
      "notices": "Whether webhooks are notified.",
    ]
  }

  /// A change of the settings of a device.
  struct SettingsState: ResultObject {
    var state: DesiredSettingsChange.State
    var created: Date
    @Nullable var closed: Date?
    var desired: JSONFragment

    init(_ change: DesiredSettingsChange) {
      (state, created, closed) = (change.state, change.created, change.closed)
      desired = JSONFragment(change.settings.stored)
    }
  }

  // MARK: One device

  struct Health: ResultObject {
    var now: Date
    var device: DeviceHealth
    var rule: Rule
    var gaps: [GapObject]
    var hours: [Hour]
    var outages: [Outage]
    var notices: [Notice]
    static let notes: [String: JSONValue] = ["notices": "Notices, newest first."]
  }

  /// A range of record numbers of a journal that the server has not received.
  struct GapObject: ResultObject {
    var journal: String
    var first: Int64
    var last: Int64
    @Nullable var before: Date?
    @Nullable var after: Date?

    static let notes: [String: JSONValue] = [
      "before": "When the number before it came.", "after": "When the number after it came.",
    ]

    init(_ gap: Gap) {
      journal = RecordID.text(ofJournal: gap.journal)
      (first, last) = (gap.numbers.lowerBound.value, gap.numbers.upperBound.value)
      (before, after) = (gap.before, gap.after)
    }
  }

  /// An hour with contacts, and the longest time without contact that began in this hour.
  struct Hour: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case hour
      case offlineFrom
      case offlineSeconds
    }

    var hour: Date
    @Nullable var offlineFrom: Date?
    var offlineSeconds: Int

    static let notes: [String: JSONValue] = ["offline_seconds": ["minimum": 0]]

    init(_ received: HeartbeatTables.ContactHour) {
      hour = Date(timeIntervalSince1970: Double(received.hour.day * DayLength.wholeSeconds + Int64(received.hour.hour) * 3600))
      (offlineFrom, offlineSeconds) = (received.began, Int(received.hour.maximum))
    }
  }

  /// An event of the device that is stored as JSON.
  struct Notice: Codable, Sendable, DocumentedValue, JSONWritable {
    let text: String
    static func schema(in components: SchemaComponents) throws -> JSONValue { try components.schema(of: NoticeMembers.self) }
    static let sample = Self(text: "{}")
    func write(to bytes: inout [UInt8]) { bytes += Array(text.utf8) }
  }

  enum NoticeType: String, Codable, CaseIterable, DocumentedValue {
    case offline = "device.silent"
    case received = "device.heard"
  }

  /// The members of a ``Notice``.
  private struct NoticeMembers: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case id
      case type
      case time
      case device
      case lastContact
      case offlineSince
      case offlineSeconds
      case thresholdSeconds
      case usualSeconds
      case origin
      case text
      case location
      case source
    }

    var id: String
    var type: NoticeType
    var time: Date
    var device: String
    var lastContact: Date?
    var offlineSince: Date?
    var offlineSeconds: Int
    var thresholdSeconds: Nullable<Int>?
    var usualSeconds: Nullable<Int>?
    var origin: HeartbeatExpectation.Origin?
    var text: String
    var location: Location?
    var source: String

    static let schemaName: String? = "HeartbeatNotice"
  }

  private struct Location: ResultObject {
    var latitude: Double
    var longitude: Double
    var accuracy: Double?
    var time: Date
  }

  // MARK: The expectation

  struct Rule: ResultObject {
    @Nullable var afterSeconds: Int?
    var notices: Bool

    static let schemaName: String? = "HeartbeatRule"
    static let notes: [String: JSONValue] = [
      "after_seconds": "Seconds without contact after which it is offline; null: computed from its contacts.",
      "notices": "Whether webhooks are notified.",
    ]

    init(_ rule: HeartbeatTables.Rule) { (afterSeconds, notices) = (rule.threshold.map { Int($0) }, rule.notices) }
  }

  enum ThresholdLimits: NumberLimits {
    static let range = 60.0...31_536_000
    static let expected = "expected seconds, 60 to 31536000; without it the server learns the value."
  }

  struct RuleBody: BodyObject {
    let afterSeconds: LimitedNumber<ThresholdLimits>?
    let notices: Bool?

    static let kind = "heartbeat"
    static let notes: [String: JSONValue] = [
      "after_seconds": "Seconds without contact after which the device is offline; without it they are computed.",
      "notices": ["default": true],
    ]

    var rule: HeartbeatTables.Rule {
      HeartbeatTables.Rule(threshold: afterSeconds.map { $0.value.rounded() }, notices: notices ?? true)
    }
  }
}
