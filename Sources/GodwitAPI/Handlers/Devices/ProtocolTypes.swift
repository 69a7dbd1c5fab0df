internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitWire

/// The types of the upload protocols in the OpenAPI document. The receivers of the protocols read requests and write
/// responses without them.
enum ProtocolTypes {
  // MARK: Parameters

  struct OverlandParameters: ParameterList {
    let range: RangeHeader?
  }

  /// The range of journal records that a tracker's request covers.
  struct RangeHeader: HeaderParameter {
    init(header text: String) {}
    static let header = SequenceRange.header
    static var sample: Self { Self(header: "") }
    static let parameterDescription =
      "Range of the tracker's journal that this request covers: `9f86d081884c7d65 17-516; since=1`."
  }

  struct OwnTracksParameters: ParameterList {
    let userHeader: UserHeader?
    let deviceHeader: DeviceHeader?
    let u: String?
    let d: String?
    static let notes: [String: JSONValue] = ["u": "The same as `X-Limit-U`.", "d": "The same as `X-Limit-D`."]
  }

  struct UserHeader: HeaderParameter {
    init(header text: String) {}
    static let header = "X-Limit-U"
    static var sample: Self { Self(header: "") }
    static let parameterDescription = "User name in the app."
  }

  struct DeviceHeader: HeaderParameter {
    init(header text: String) {}
    static let header = "X-Limit-D"
    static var sample: Self { Self(header: "") }
    static let parameterDescription = "Device name in the app."
  }

  struct OsmAndParameters: ParameterList {
    let lat: String?
    let lon: String?
    let timestamp: String?
    let id: String?
    let speed: String?
    let bearing: String?
    let altitude: String?
    let accuracy: String?
    let batt: String?

    static let notes: [String: JSONValue] = [
      "lat": "Degrees.", "lon": "Degrees.", "timestamp": "Seconds or milliseconds since 1970, or RFC 3339.",
      "id": "The device's name, or its token.", "speed": "Knots at /api/osmand, metres per second at /api/gpslogger.",
      "bearing": "Degrees.", "altitude": "Metres.", "accuracy": "Metres.", "batt": "Percent.",
    ]
  }

  // MARK: Bodies

  enum OverlandBatch: RawBodyContent {
    static func content(in components: SchemaComponents) -> JSONValue {
      let feature: JSONValue = ["type": "object", "description": "A GeoJSON feature, as Overland sends it."]
      return json([
        "type": "object", "required": ["locations"],
        "properties": [
          "locations": ["type": "array", "items": feature], "current": ["type": "object"], "trip": ["type": "object"],
        ],
      ])
    }
  }

  enum OwnTracksMessages: RawBodyContent {
    static func content(in components: SchemaComponents) -> JSONValue {
      let message = components.named(
        "OwnTracksMessage",
        [
          "type": "object", "properties": ["_type": ["type": "string", "description": "location, transition, waypoint, …"]],
          "required": ["_type"],
        ])
      return json(["oneOf": [message, ["type": "array", "items": message]]])
    }
    static let isRequired = false
  }

  enum OpenLocateBatch: RawBodyContent {
    static func content(in components: SchemaComponents) -> JSONValue {
      let location: JSONValue = ["type": "object", "description": "A location, as OpenLocate sends it."]
      return json([
        "type": "object", "required": ["locations"], "properties": ["locations": ["type": "array", "items": location]],
      ])
    }
  }

  /// A body with the fields of a position: as a form, as JSON, or as a query string.
  enum Form: RawBodyContent {
    static func content(in components: SchemaComponents) -> JSONValue {
      let object: JSONValue = ["schema": ["type": "object"]]
      return [
        "application/x-www-form-urlencoded": object, "multipart/form-data": object, "application/json": object,
        "text/plain": ["schema": ["type": "string"]],
      ]
    }
    static let isRequired = false
  }

  // MARK: Results

  /// A response with the number of stored records.
  enum Saved: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? { json(schema(in: components)) }

    static func otherResponses(in components: SchemaComponents) -> [Int: JSONValue] {
      let problem: JSONValue = ["schema": ["$ref": "#/components/schemas/Problem"]]
      let content = json(schema(in: components)).merging(["application/problem+json": problem])
      return [
        400: [
          "description": "The body is not valid for this protocol. Records before the damage are stored and counted.",
          "content": content,
        ]
      ]
    }

    private static func schema(in components: SchemaComponents) -> JSONValue {
      let count: JSONValue = ["type": "integer", "minimum": 0]
      let rejected: JSONValue = [
        "type": "object", "properties": ["index": count, "reason": ["type": "string"]], "required": ["index", "reason"],
      ]
      return components.named(
        "Saved",
        [
          "type": "object",
          "properties": [
            "result": ["type": "string", "enum": ["ok", "error"]], "saved": count, "duplicates": count,
            "rejected": ["type": "array", "items": rejected],
            "set": ["type": "object", "description": "Desired settings of the device."],
            "regions": ["type": "string", "description": "Digest of the device's regions."],
            "placeless": count, "error": ["type": "string"],
          ], "required": ["result", "saved", "duplicates", "rejected"],
        ])
    }
  }

  enum AppMessages: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      json(["oneOf": [["type": "array", "items": ["type": "object"]], ["type": "object"]]])
    }
  }

  /// A response with a text that apps ignore.
  enum Nothing: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      ["text/plain; charset=utf-8": ["schema": ["type": "string"]]]
    }
    static let hasEntityTag = false
  }

  /// A response in the format that the app of a protocol expects.
  enum AppReply: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      json(["type": ["object", "array"]]).merging(["text/plain; charset=utf-8": ["schema": ["type": "string"]]])
    }
    static let hasEntityTag = false
  }

  /// A response without a body.
  enum Empty: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? { nil }
  }

  struct OverlandDevice: ResultObject {
    var name: String
  }

  private static func json(_ schema: JSONValue) -> JSONValue { ["application/json": ["schema": schema]] }
}
