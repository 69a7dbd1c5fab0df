internal import Foundation
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitTracks
internal import GodwitTransfer

extension ImportJob.State: DocumentedValue {}

extension DateOrder: ParameterValue {
  static func read(_ name: String, from query: QueryParameters) throws(Problem) -> DateOrder? {
    guard let word = query[name] else { return nil }
    guard let order = DateOrder(rawValue: word) else {
      throw Problem(400, "Bad argument", "\(name)=\(word): expected dmy (day first) or mdy (month first).", at: name)
    }
    return order
  }
}

extension ImportAPI {
  // MARK: Requests

  struct UploadParameters: ParameterList {
    let device: TargetDevice?
    let map: DeviceMapping
    let dateOrder: DateOrder?
    let name: FileName

    static let notes: [String: JSONValue] = [
      "date_order":
        "Whether a date such as 01/02/2024 in a CSV file begins with the day (dmy) or the month (mdy). Required if no date of the file decides it."
    ]

    /// - Throws: ``Problem`` unless there are devices with valid names.
    var options: ImportOptions {
      get throws(Problem) {
        let options = ImportOptions(device: device?.name, mapping: map.devices, dateOrder: dateOrder)
        guard !options.devices.isEmpty else {
          throw Problem(400, "Bad argument", "device: missing; expected device=NAME, or map=NAME=DEVICE.", at: "device")
        }
        for name in options.devices where !Device.isValid(name: name) {
          throw Problem(
            400, "Bad argument",
            "device=\(name): 1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.", at: "device")
        }
        return options
      }
    }
  }

  /// The name of a device. A device that does not exist is created.
  struct TargetDevice: ParameterValue {
    let name: String
    static func read(_ name: String, from query: QueryParameters) -> Self? { query.text(name).map { Self(name: $0) } }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "minLength": 1, "maxLength": 64] }
    static var sample: Self { Self(name: "") }
    static let parameterDescription = "Device of the file's records. Required without map."
    static let problems = [409]
  }

  /// Maps names of devices in the file to devices of the server.
  struct DeviceMapping: ParameterValue {
    let devices: [String: String]

    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      var devices: [String: String] = [:]
      for text in query.all(name) {
        guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
          throw Problem(
            400, "Bad argument", "\(name)=\(text): expected NAME=DEVICE: what the file calls it, and the device.", at: name)
        }
        devices[String(text[..<sign])] = String(text[text.index(after: sign)...])
      }
      return Self(devices: devices)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "array", "items": ["type": "string", "pattern": "^.+=.+$"]]
    }
    static var sample: Self { Self(devices: [:]) }
    static var absent: Self? { sample }
    static let parameterDescription = "NAME=DEVICE maps the name in the file to the device."
  }

  struct FileName: ParameterValue {
    let text: String
    private static let length = 1...200
    private static let standard = "upload"

    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard let text = query[name] else { return nil }
      guard length.contains(text.count) else {
        throw Problem(400, "Bad argument", "\(name): 1 to \(length.upperBound) characters, the name of the file.", at: name)
      }
      return Self(text: text)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      [
        "type": "string", "minLength": .integer(length.lowerBound), "maxLength": .integer(length.upperBound),
        "default": .string(standard),
      ]
    }
    static var sample: Self { Self(text: standard) }
    static var absent: Self? { sample }
    static let parameterDescription = "Name of the file, for display."
  }

  /// A body with a file of records. The server writes it to the disk and does not hold it in memory.
  struct UploadBody: OperationBody {
    /// The size of the file in bytes.
    let size: Int

    static func read(_ request: HTTPRequest) throws -> Self {
      guard let file = request.file, file.size > 0 else {
        throw Problem(400, "No file", "The file is empty. Send it as the body of the request: curl --data-binary @FILE …")
      }
      return Self(size: file.size)
    }
    static func requestBody(in components: SchemaComponents) -> JSONValue? {
      let schema: JSONValue = ["type": "string", "format": "binary", "minLength": 1]
      return ["required": true, "content": ["application/octet-stream": ["schema": schema]]]
    }
  }

  struct ListParameters: ParameterList {
    let limit: PageLimit<Pages>
    let cursor: PageCursor<ImportCursor>?
    static let notes: [String: JSONValue] = ["cursor": ["pattern": "^imp_[0-9]+$"]]
  }

  enum Pages: PageLimits {
    static let standard = 50
    static let largest = 500
  }

  struct ImportCursor: CursorFormat {
    let number: Int64
    init?(_ text: String) {
      guard let number = ImportJob.number(of: text) else { return nil }
      self.number = number
    }
  }

  // MARK: Results

  struct ImportPage: ResultObject {
    var imports: [ImportEntry]
    var nextCursor: NextCursor
  }

  struct ImportEntry: ResultObject {
    var id: String
    var name: String
    var size: Int
    var state: ImportJob.State
    var position: Int
    @Nullable var device: String?
    @Nullable var dateOrder: DateOrder?
    var mapping: [String: String]
    @Nullable var format: String?
    var records: Int
    var saved: Int
    var duplicates: Int
    var withoutTime: Int
    var waypoints: Int
    var routePoints: Int
    var unmapped: Int
    var skipped: Int
    var reasons: [Reason]
    var devices: [String: Int]
    @Nullable var problem: String?
    var created: Date
    var changed: Date

    static let schemaName: String? = "Import"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^imp_[0-9]+$"], "size": ["minimum": 0, "description": "Bytes."],
      "position": ["minimum": 0, "description": "Number of bytes read."],
      "date_order": "The order of day and month that the upload named.", "records": ["minimum": 0], "saved": ["minimum": 0],
      "duplicates": ["minimum": 0], "without_time": ["minimum": 0],
      "waypoints": ["minimum": 0, "description": "Waypoints without a time, which are not stored."],
      "route_points": ["minimum": 0, "description": "Points of planned routes in the file, which are not stored."],
      "unmapped": ["minimum": 0], "skipped": ["minimum": 0],
    ]

    /// - Parameter progress: the progress of a running import; `nil` for other imports.
    init(_ job: ImportJob, _ progress: ImportProgress?) {
      let report = progress?.report ?? job.report
      (id, name, size, state) = (job.label, job.name, job.size, job.state)
      position = progress?.position ?? job.position
      (mapping, format) = (job.options.mapping, report.format)
      (records, saved, duplicates, withoutTime) = (report.records, report.saved, report.duplicates, report.withoutTime)
      (waypoints, routePoints) = (report.unused?.waypoints ?? 0, report.unused?.routePoints ?? 0)
      (unmapped, skipped, reasons, devices) = (report.unmapped, report.skipped, report.reasons.map { Reason($0) }, report.devices)
      (created, changed) = (job.created, job.changed)
      (device, dateOrder, problem) = (job.options.device, job.options.dateOrder, job.problem)
    }
  }

  /// A reason for which parts of a file were skipped, with the first such part.
  struct Reason: ResultObject {
    var kind: String
    var count: Int
    var first: [SkippedPart]

    static let notes: [String: JSONValue] = ["count": ["minimum": 1], "first": ["maxItems": 3]]

    init(_ reason: ImportReport.Reason) {
      (kind, count) = (reason.kind, reason.count)
      first = reason.first.map { SkippedPart(place: $0.place.description, reason: $0.reason) }
    }
  }

  struct SkippedPart: ResultObject {
    var place: String
    var reason: String
  }

  /// A response with a queued import and its URL.
  struct QueuedImport: OperationResult {
    private let entry: ImportEntry
    init(_ entry: ImportEntry) { self.entry = entry }

    static let status = 202
    static let headers: [String: JSONValue] = [
      "Location": ["schema": ["type": "string"], "description": "The address of the import."]
    ]
    static func content(in components: SchemaComponents) throws -> JSONValue? { try ImportEntry.content(in: components) }
    func response() throws -> HTTPResponse {
      var response = try entry.response()
      response.status = Self.status
      return response.with("Location", "/api/v1/imports/\(entry.id)")
    }
  }

  /// The id of a dismissed import: in `cancelled` if the import was cancelled, in `deleted` if its entry was deleted.
  struct DismissedImport: ResultObject {
    var cancelled: String?
    var deleted: String?

    static func content(in components: SchemaComponents) throws -> JSONValue? {
      let schema = try components.schema(of: Self.self).merging(["minProperties": 1, "maxProperties": 1])
      return ["application/json": ["schema": schema]]
    }
  }
}
