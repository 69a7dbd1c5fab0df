internal import Foundation
internal import GodwitAccess
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

extension PointCursor: CursorFormat {}
extension SharedDevice.Visibility: DocumentedValue {}

extension ReadingAPI {
  // MARK: Parameters

  /// The parameters that select points.
  struct PointFilter: ParameterList {
    let device: DeviceName?
    let times: TimeRange
    let bbox: BoxParameter?
    let marked: Bool
    let cursor: PageCursor<PointCursor>?

    static let notes: [String: JSONValue] = ["marked": ["description": "With outliers.", "default": false]]

    /// Returns the query without its device: the parameters have the name of the device, and the query has its number.
    func query(limit: Int) -> PointQuery {
      var query = PointQuery(limit: limit)
      (query.from, query.to, query.box) = (times.from?.date, times.to?.date, bbox?.box)
      (query.leavesOutMarked, query.after) = (!marked, cursor?.place)
      return query
    }
  }

  struct PointParameters: ParameterList {
    let filter: PointFilter
    let limit: PageLimit<PointPages>
    static let notes: [String: JSONValue] = ["limit": "Maximum number of points in a page."]
  }

  struct TrackParameters: ParameterList {
    let filter: PointFilter
    let limit: PageLimit<TrackPages>
    let gap: NumberParameter<Gaps>
    let detail: NumberParameter<Details>
    static let notes: [String: JSONValue] = [
      "limit": "Maximum number of points.", "gap": "Seconds without a point after which a new line begins.",
      "detail": "Tolerance of the simplification in metres.",
    ]
  }

  /// The maximum number of points in a page. A request may lower it.
  enum PointPages: PageLimits {
    static let standard = 1_000
    static let largest = 10_000
  }
  /// The maximum number of points in one track. A longer range needs several requests.
  enum TrackPages: PageLimits {
    static let standard = 500_000
    static let largest = standard
  }
  enum Gaps: NumberParameterLimits {
    static let range = Double.leastNormalMagnitude...1e12
    static let expected = "seconds, more than 0"
    static let standard: Double? = 900
    static let isPositive = true
  }
  enum Details: NumberParameterLimits {
    static let range = 0...1e9
    static let expected = "metres, 0 or more"
    static let standard: Double? = 0
  }

  struct DeviceParameters: ParameterList {
    let device: DeviceName?
  }

  // MARK: Results

  struct DeviceList: ResultObject {
    var devices: [DeviceEntry]
  }

  struct DeviceEntry: ResultObject {
    var name: String
    @Nullable var owner: String?
    var visibility: SharedDevice.Visibility
    @Nullable var points: Int?
    @Nullable var first: Date?
    @Nullable var lastContact: Date?
    @Nullable var rejected: Int?
    @Nullable var missing: Int?
    @Nullable var last: PointFeatureResult?
    @Nullable var color: String?
    @Nullable var icon: String?

    private enum CodingKeys: String, CodingKey {
      case name, owner, points, first, lastContact, color, icon
      case rejected
      case missing, last
      case visibility = "access"
    }

    static let schemaName: String? = "Device"
    static let notes: [String: JSONValue] = [
      "owner": "The owner; null: the administrator.", "access": "What the principal may see of the device.",
      "points": ["minimum": 0], "color": "`#rrggbb`; null: the page chooses.", "icon": "The name of its picture.",
      "rejected": ["minimum": 0], "missing": ["minimum": 0, "description": "Number of missing records."],
    ]

    init(_ summary: DeviceSummary, owner: String?, missing: Int, look: DeviceAppearance?) {
      (color, icon) = (look?.color, look?.icon?.rawValue)
      (name, self.owner, visibility, self.missing) = (summary.device.name, owner, .all, missing)
      (points, first, lastContact, rejected) = (summary.points, summary.first, summary.lastContact, summary.rejected)
      last = summary.last.map { PointFeatureResult($0.record, device: summary.device.name) }
    }

    init(_ device: Device, _ shared: SharedDevice, owner: String?, look: DeviceAppearance?) {
      (color, icon) = (look?.color, look?.icon?.rawValue)
      (name, self.owner, visibility, first) = (device.name, owner, shared.visibility, shared.first)
      last = shared.last.map { PointFeatureResult($0.record, device: device.name) }
    }
  }

  struct JournalList: ResultObject {
    var journals: [JournalEntry]
  }

  struct JournalEntry: ResultObject {
    var device: String
    var journal: String
    @Nullable var since: Int64?
    var covered: RecordRanges
    var missing: RecordRanges
    var missingCount: Int

    static let notes: [String: JSONValue] = ["missing_count": ["minimum": 0]]

    init(_ journal: JournalSummary) {
      device = journal.device.name
      self.journal = RecordID.text(ofJournal: journal.journal)
      since = journal.since?.value
      covered = RecordRanges(ranges: journal.covered)
      missing = RecordRanges(ranges: journal.missing)
      missingCount = journal.missingCount
    }
  }

  /// Ranges of record numbers: `[[1,5],[7,7]]`.
  struct RecordRanges: Codable, Sendable, DocumentedValue, JSONWritable {
    private let ends: [[Int64]]
    init(ranges: [ClosedRange<RecordNumber>]) { ends = ranges.map { [$0.lowerBound.value, $0.upperBound.value] } }
    static func schema(in components: SchemaComponents) -> JSONValue {
      let range: JSONValue = ["type": "array", "items": ["type": "integer"], "minItems": 2, "maxItems": 2]
      return components.named("Ranges", ["type": "array", "items": range, "description": "First and last number of each range."])
    }
    static var sample: Self { Self(ranges: []) }
    func write(to bytes: inout [UInt8]) {
      bytes += Array("[\(ends.map { "[\($0[0]),\($0[1])]" }.joined(separator: ","))]".utf8)
    }
  }

  /// A response with a page of points.
  enum PointPage: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      GeoJSON.content("Points", of: PointFeatureResult.schema(in: components), in: components)
    }
  }

  /// A response with lines, times and distances.
  enum TrackPage: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      let time: JSONValue = ["type": "string", "format": "date-time"]
      let properties: JSONValue = [
        "type": "object",
        "properties": [
          "device": ["type": "string"], "from": time, "to": time, "points": ["type": "integer", "minimum": 1],
          "distance": ["type": "number", "minimum": 0],
        ],
        "required": ["device", "from", "to", "points", "distance"],
      ]
      let line = GeoJSON.geometry("LineString", coordinates: GeoJSON.line(in: components))
      return GeoJSON.content("Track", of: GeoJSON.feature(line, properties), in: components)
    }
  }

  /// A response with server-sent events.
  enum EventStream: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      ["text/event-stream": ["schema": ["type": "string"]]]
    }
    static let hasEntityTag = false
  }
}
