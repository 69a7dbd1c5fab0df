internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitFiles
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitTransfer

/// `GET /api/v1/export`
struct ExportAPI {
  let work: RequestWork

  struct Parameters: ParameterList {
    let device: ExportedDevice
    let format: RecordWriter.Format?
    let times: TimeRange
    static let notes: [String: JSONValue] = ["format": ["description": "The format of the file.", "default": "gpx"]]
  }

  /// Streams a device's records in a file format.
  func file(_ request: HTTPRequest) throws -> HTTPReply {
    let (principal, parameters) = (request.principal, try Parameters(request.query))
    let format = parameters.format ?? .gpx
    let (from, to) = (parameters.times.from?.date, parameters.times.to?.date)
    return work.later(request) {
      let device = try principal.device(named: parameters.device.name, in: work.store)
      let visible = VisiblePoints(principal, work.store)
      // Events of a device are visible to its owner only.
      let events = principal.seesAll(of: device.id) ? try work.store.events(device: device.id, from: from, to: to) : []
      let bytes = StreamingBody(
        {
          var export = RecordExport(
            of: device, as: format, from: from, to: to, events: events, points: { try visible.points($0) })
          return { try export.next() }
        }())
      return HTTPResponse(streaming: bytes, contentType: format.mediaType)
        .with("Content-Disposition", Self.disposition(name: device.name, extension: format.fileExtension))
        .with("Cache-Control", "no-store")
    }
  }

  /// Returns the header `Content-Disposition` for a file name (RFC 6266). A name with characters other than ASCII letters
  /// and digits is written twice: with hyphens for clients that support only ASCII, and exactly (RFC 8187).
  static func disposition(name: String, extension suffix: String) -> String {
    let plain = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    let header = "attachment; filename=\"\(plain).\(suffix)\""
    if plain == name { return header }
    let unreserved = CharacterSet(charactersIn: "a"..."z").union(CharacterSet(charactersIn: "A"..."Z"))
      .union(CharacterSet(charactersIn: "0123456789-._~"))
    let exact = "\(name).\(suffix)".addingPercentEncoding(withAllowedCharacters: unreserved)
    return exact.map { header + "; filename*=UTF-8''" + $0 } ?? header
  }

  /// Streams all data of the user.
  func account(_ request: HTTPRequest) throws -> HTTPReply {
    let account = request.principal.user?.id
    return work.later(request) {
      let (store, now) = (work.store, work.now)
      let bytes = StreamingBody(
        try {
          var export = try AccountExport(of: account, in: store, at: now)
          return { try export.next() }
        }())
      return HTTPResponse(streaming: bytes, contentType: "application/zip")
        .with("Content-Disposition", "attachment; filename=\"godwit-\(RFC3339.string(now).prefix(10)).zip\"")
        .with("Cache-Control", "no-store")
    }
  }
}

extension RecordWriter.Format: Decodable {}
extension RecordWriter.Format: ParameterValue {}

struct ExportedDevice: ParameterValue {
  let name: String
  static func read(_ name: String, from query: QueryParameters) -> Self? { query.text(name).map { Self(name: $0) } }
  static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "minLength": 1] }
  static var sample: Self { Self(name: "") }
  static let parameterDescription = "The device of the records."
  static let problems = [404]
  static func missing(_ name: String) -> Problem {
    Problem(400, "Bad argument", "\(name): missing; expected \(name)=NAME. /api/v1/devices lists the devices.", at: name)
  }
}

/// A response with all data of a user.
enum AccountArchive: RawContent {
  static func content(in components: SchemaComponents) -> JSONValue? {
    ["application/zip": ["schema": ["type": "string", "format": "binary"]]]
  }
  static let headers: [String: JSONValue] = ["Content-Disposition": ["schema": ["type": "string"]]]
  static let hasEntityTag = false
}

/// A response with a file of records in one of the formats.
enum ExportedFile: RawContent {
  static func content(in components: SchemaComponents) -> JSONValue? {
    let types = RecordWriter.Format.allCases.map { format in
      (format.mediaType, ["schema": ["type": format.mediaType.hasSuffix("json") ? "object" : "string"]] as JSONValue)
    }
    return .object(Dictionary(types) { first, _ in first })
  }
  static let headers: [String: JSONValue] = ["Content-Disposition": ["schema": ["type": "string"]]]
  static let hasEntityTag = false
}
