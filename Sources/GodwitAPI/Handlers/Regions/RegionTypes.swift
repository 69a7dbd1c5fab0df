internal import Foundation
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRegions
internal import GodwitRoutes
internal import GodwitTransfer
internal import GodwitWire

extension RegionFormat: Decodable {}
extension RegionFormat: ParameterValue {}

extension RegionsAPI {
  // MARK: Parameters

  /// The parameters that select regions.
  struct Filter: ParameterList {
    let bbox: BoxParameter?
    let tags: TextList
    let tag: TextList
    let without: TextList

    static let notes: [String: JSONValue] = [
      "tags": "Only regions with one of these tags, separated by commas.", "tag": "Synonym of `tags`.",
      "without": "Only regions without these tags, separated by commas.",
    ]

    /// Returns the query.
    /// - Parameter first: the maximum number of regions in a page.
    func query(of device: Int64?, first: Int) -> RegionPageQuery {
      func sorted(_ list: TextList) -> [String] { Set(list.words).sorted() }
      let filter = RegionFilter(tags: sorted(tags) + sorted(tag), without: sorted(without))
      return RegionPageQuery(device: device, filter: filter, box: bbox?.box, first: first)
    }
  }

  /// Strings separated by commas.
  struct TextList: ParameterValue {
    let words: [String]
    static func read(_ name: String, from query: QueryParameters) -> Self? { Self(words: query.words(name)) }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
    static var sample: Self { Self(words: []) }
    static var absent: Self? { sample }
  }

  enum Pages: PageLimits {
    static let standard = 500
    static let largest = 5000
  }

  struct ListParameters: ParameterList {
    let limit: PageLimit<Pages>
    let cursor: String?
    let filter: Filter
    let format: RegionFormat?

    static let notes: [String: JSONValue] = [
      "limit": "Maximum number of regions in a page.",
      "cursor": "The `next_cursor` of the previous page; without it, the first page.",
      "format": "Returns all regions as a file of this format.",
    ]
  }

  struct ChangeParameters: ParameterList {
    let first: PageLimit<Pages>
    let after: String?
    let filter: Filter

    static let notes: [String: JSONValue] = [
      "first": "Maximum number of changes in a page.", "after": "The `endCursor` of the previous page.",
    ]
  }

  struct ImportParameters: ParameterList {
    let tag: TextList
    let radius: NumberParameter<Radii>?
    let dry: Bool

    static let notes: [String: JSONValue] = [
      "tag": "Tags to add to all regions, separated by commas.", "radius": "Radius in metres for points without one.",
      "dry": ["description": "`true` returns what the request would do, and changes nothing.", "default": false],
    ]
  }

  enum Radii: NumberParameterLimits {
    static let range = Double.leastNormalMagnitude...RegionRules.greatestRadius
    static let expected = "metres, more than 0, for points without a radius"
    static let isPositive = true
  }

  struct DeletionParameters: ParameterList {
    let tag: String?
    let all: Bool

    static let notes: [String: JSONValue] = [
      "tag": "All regions with this tag.", "all": ["description": "All regions.", "default": false],
    ]

    var selection: RegionDeletion {
      get throws(Problem) {
        if let tag, !tag.isEmpty { return .tag(tag) }
        guard all else { throw Problem(400, "Bad argument", "Select regions: tag=TAG, or all=true for all of them.") }
        return .all
      }
    }
  }

  /// The headers that make a change conditional on the state of the region.
  struct ConditionParameters: ParameterList {
    let ifMatch: RevisionMatch?
    let ifNoneMatch: AbsenceMatch?

    var condition: RegionCondition { ifMatch?.condition ?? (ifNoneMatch == nil ? .none : .absent) }
  }

  /// `If-Match: "17"`, or `*`.
  struct RevisionMatch: HeaderParameter {
    /// `nil`: any revision.
    private let revision: Int64?
    static let header = "If-Match"

    init(header text: String) throws(Problem) {
      let word = text.trimmingCharacters(in: .whitespaces)
      let number = RevisionNumber(word.replacing("-gz\"", with: "").replacing("\"", with: ""))
      guard word == "*" || number != nil else {
        throw Problem(400, "Bad argument", "If-Match: \(text): expected a revision such as \"17\", or *.")
      }
      revision = number?.value
    }
    static var sample: Self { get throws { try Self(header: "*") } }
    static let parameterDescription = IfMatch.parameterDescription
    static let problems = IfMatch.problems
    var condition: RegionCondition { revision.map { .revision($0) } ?? .exists }
  }

  /// `If-None-Match: *`
  struct AbsenceMatch: HeaderParameter {
    static let header = "If-None-Match"

    init(header text: String) throws(Problem) {
      guard text.trimmingCharacters(in: .whitespaces) == "*" else {
        throw Problem(400, "Bad argument", "If-None-Match: \(text): expected *, for a region that is not there yet.")
      }
    }
    static var sample: Self { get throws { try Self(header: "*") } }
    static let parameterDescription = "`*`: only if the region does not exist."
    static let problems = [412]
  }

  // MARK: Bodies

  /// A body with regions, which may be compressed.
  struct RegionBody<Content: RawBodyContent>: OperationBody {
    private let bytes: [UInt8]
    private let encoding: String?

    static func read(_ request: HTTPRequest) -> Self {
      Self(bytes: request.takeBody(), encoding: request.header("Content-Encoding"))
    }
    static func requestBody(in components: SchemaComponents) throws -> JSONValue? {
      try RawBody<Content>.requestBody(in: components)
    }

    /// Returns the decompressed body.
    func decoded() throws(Problem) -> [UInt8] {
      let decoded = try RequestBody.decoded(bytes, encoding: encoding, limit: maximumBody)
      guard decoded.count <= maximumBody else {
        throw Problem(
          413, "Body too large", "The body has \(decoded.count) bytes; at most \(maximumBody) are accepted. Send it in parts.",
          at: "byte \(maximumBody)")
      }
      return decoded
    }
  }

  /// A body with regions in any supported format.
  enum RegionFile: RawBodyContent {
    static func content(in components: SchemaComponents) -> JSONValue {
      let types = RegionFormat.allCases.map { format in
        let schema: JSONValue =
          switch format {
          case .json, .owntracks: ["type": ["object", "array"]]
          case .geojson: ["type": "object"]
          case .kml: ["type": "string"]
          }
        return (format.contentType, ["schema": schema] as JSONValue)
      }
      return .object(Dictionary(types) { first, _ in first })
    }
  }

  /// A body with one region.
  enum RegionDocument: RawBodyContent {
    static func content(in components: SchemaComponents) -> JSONValue {
      let schema = components.named(
        "RegionBody",
        [
          "type": "object", "properties": ["name": ["type": "string"]],
          "description": "A region; see Documentation/Regions.md.",
        ])
      return ["application/json": ["schema": schema]]
    }
  }

  // MARK: Results

  /// A region with its revision, as JSON text.
  struct RegionText: Codable, Sendable, DocumentedValue, JSONWritable {
    private let json: [UInt8]
    private let revision: Int64

    init(_ region: StoredRegion) { (json, revision) = (region.json, region.revision) }

    static func schema(in components: SchemaComponents) -> JSONValue {
      components.named(
        "Region",
        [
          "type": "object",
          "properties": [
            "id": ["type": "string", "maxLength": 128], "name": ["type": "string"],
            "revision": ["type": "integer", "minimum": 1],
          ], "required": ["id", "name"],
          "description": "A circle, an area or a beacon; see Documentation/Regions.md for its fields.",
        ])
    }
    static var sample: Self { Self(json: [], revision: 0) }
    private init(json: [UInt8], revision: Int64) { (self.json, self.revision) = (json, revision) }

    func write(to bytes: inout [UInt8]) {
      bytes += json.dropLast()
      bytes += #","revision":\#(revision)}"#.utf8
    }
  }

  /// A response with a region. The entity tag is the revision of the region.
  struct RegionResult: OperationResult {
    private let written: HTTPResponse

    init(_ response: HTTPResponse) { written = response }
    init(_ region: StoredRegion) {
      var text: [UInt8] = []
      RegionText(region).write(to: &text)
      written = .json(text + [0x0A]).with("ETag", "\"\(region.revision)\"")
    }

    static let headers: [String: JSONValue] = ["ETag": ["$ref": "#/components/headers/ETag"]]
    static func content(in components: SchemaComponents) -> JSONValue? {
      ["application/json": ["schema": RegionText.schema(in: components)]]
    }
    func response() -> HTTPResponse { written }
  }

  struct RegionPage: ResultObject {
    var regions: [RegionText]
    var nextCursor: NextCursor
  }

  /// A response with a page of regions, or with all regions as a file.
  enum RegionListing: OperationResult {
    case page(RegionPage)
    case file(HTTPResponse)

    static func content(in components: SchemaComponents) throws -> JSONValue? {
      var page = try components.schema(of: RegionPage.self).members
      // A file of the same media type has no pages, so only `regions` is required.
      page["required"] = ["regions"]
      let waypoints: JSONValue = [
        "type": "object", "properties": ["waypoints": ["type": "array", "items": ["type": "object"]]], "required": ["waypoints"],
      ]
      return RegionFile.content(in: components).merging([
        "application/json": ["schema": ["anyOf": [.object(page), waypoints]]]
      ])
    }
    func response() throws -> HTTPResponse {
      switch self {
      case .page(let page): try page.response()
      case .file(let response): response
      }
    }
  }

  /// A response with a page of changes, with the member names of the device protocol.
  enum RegionChanges: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      let info: JSONValue = [
        "type": "object",
        "properties": ["endCursor": ["type": ["string", "null"]], "hasNextPage": ["type": "boolean"]],
        "required": ["endCursor", "hasNextPage"],
      ]
      let schema: JSONValue = [
        "type": "object", "properties": ["nodes": ["type": "array", "items": ["type": "object"]], "pageInfo": info],
        "required": ["nodes", "pageInfo"],
      ]
      return ["application/json": ["schema": components.named("RegionPage", schema)]]
    }
  }

  struct ImportedRegions: ResultObject {
    var created: Int
    var changed: Int
    var unchanged: Int
    var revision: Int64
    var skipped: Int
    var reasons: [String]
    var regions: [String]

    static let schemaName: String? = "RegionChange"
    static let notes: [String: JSONValue] = [
      "created": ["minimum": 0], "changed": ["minimum": 0], "unchanged": ["minimum": 0], "skipped": ["minimum": 0],
    ]

    init(_ change: RegionChange, _ found: RegionImport) {
      (created, changed, unchanged) = (change.created, change.changed, change.unchanged)
      (revision, skipped) = (change.revision, found.skippedCount)
      (reasons, regions) = (found.skipped.map(\.description), found.regions.map(\.id))
    }
  }

  struct DeletedRegions: ResultObject {
    var deleted: Int
    var regions: [String]

    static let schemaName: String? = "RegionsDeleted"
    static let notes: [String: JSONValue] = ["deleted": ["minimum": 0]]

    init(_ ids: [String]) { (deleted, regions) = (ids.count, ids) }
  }
}
