internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitStore

extension RejectedRecordTable.State: ParameterValue {}

extension RejectedRecordAPI {
  // MARK: Results

  struct RecordPage: ResultObject {
    var rejected: [RejectedRecordObject]
    var dropped: Int
    var nextCursor: NextCursor
    static let notes: [String: JSONValue] = [
      "dropped": ["minimum": 0, "description": "Records that were dropped, because there were too many."]
    ]
  }

  /// A record with its lines, as one object.
  struct RecordWithLines: OperationResult {
    let record: RejectedRecordObject
    let lines: Lines

    static func content(in components: SchemaComponents) throws -> JSONValue? {
      let parts: [JSONValue] = [
        try components.schema(of: RejectedRecordObject.self), try components.schema(of: Lines.self),
      ]
      return ["application/json": ["schema": ["allOf": .array(parts)]]]
    }

    func response() throws -> HTTPResponse {
      // Joins the two objects: removes `}` and the line feed of the first, and `{` of the second.
      let bytes = try ResultEncoder.bytes(record).dropLast(2) + [UInt8(ascii: ",")] + ResultEncoder.bytes(lines).dropFirst()
      return .json(Array(bytes))
    }
  }

  struct Lines: ResultObject {
    var lines: [String]
    @Nullable var marked: [Int]?

    static let notes: [String: JSONValue] = [
      "marked": [
        "oneOf": [
          ["type": "array", "items": ["type": "integer", "minimum": 0], "minItems": 2, "maxItems": 2], ["type": "null"],
        ], "description": "The first and the last line with the fault; null: it is in no line.",
      ]
    ]
  }

  struct RetryResult: ResultObject {
    var id: Int64
    var saved: Int
    var duplicates: Int
    static let notes: [String: JSONValue] = ["saved": ["minimum": 0], "duplicates": ["minimum": 0]]
  }

  struct RetrySummary: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case solved
      case rejected
      case skipped
      case nextCursor
    }

    var solved: Int
    var rejected: Int
    var skipped: Int
    var nextCursor: NextCursor
    static let notes: [String: JSONValue] = ["solved": ["minimum": 0], "rejected": ["minimum": 0], "skipped": ["minimum": 0]]
  }

  struct DeletedCount: ResultObject {
    var deleted: Int
    static let notes: [String: JSONValue] = ["deleted": ["minimum": 0]]
  }

  // MARK: Requests

  struct ListParameters: ParameterList {
    let device: DeviceName?
    let reason: String?
    let state: RejectedRecordTable.State?
    let limit: PageLimit<StandardPages>
    let cursor: PageCursor<RowCursor>?

    static let notes: [String: JSONValue] = ["reason": reasonNote, "state": ["description": "Which.", "default": "open"]]
  }

  struct DeletionParameters: ParameterList {
    let device: DeviceName?
    let reason: String?
    let state: RejectedRecordTable.State?

    static let notes: [String: JSONValue] = [
      "reason": reasonNote, "state": ["description": "Which; without device and reason it is needed.", "default": "all"],
    ]
  }

  enum RetryPages: PageLimits {
    static let standard = 1000
    static let largest = 1000
  }

  struct RetryManyParameters: ParameterList {
    let device: DeviceName?
    let reason: String?
    let `protocol`: ProtocolParameter?
    let limit: PageLimit<RetryPages>
    let cursor: PageCursor<RowCursor>?

    static let notes: [String: JSONValue] = ["reason": reasonNote]
  }

  struct RetryParameters: ParameterList {
    let `protocol`: ProtocolParameter?
  }

  private static let reasonNote: JSONValue = "Those that were rejected for this reason."

  /// The parameter `protocol`.
  struct ProtocolParameter: ParameterValue {
    let format: RejectedRecordOrigin.Format

    init(format: RejectedRecordOrigin.Format) { self.format = format }
    init(from decoder: any Decoder) throws { self = Self.sample }
    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard let text = query.text(name) else { return nil }
      guard let format = RecordProtocol.formats.first(where: { $0.rawValue == text }) else {
        let names = RecordProtocol.formats.map(\.rawValue).joined(separator: ", ")
        throw Problem(400, "Bad argument", "\(name)=\(text.prefix(80)): expected one of \(names).", at: name)
      }
      return Self(format: format)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ProtocolName.schema(in: components) }
    static let sample = Self(format: .overland)
    static let parameterDescription = "The protocol of a record that was stored without one."
  }

  /// A corrected record in its own protocol. Without a body, the record is decoded as received.
  enum CorrectedRecord: RawBodyContent {
    static let isRequired = false
    static func content(in components: SchemaComponents) -> JSONValue {
      ["application/octet-stream": ["schema": ["type": "string"]]]
    }
  }
}
