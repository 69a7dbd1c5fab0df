internal import Foundation
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore

extension DesiredSettingsChange.State: DocumentedValue {}

extension SettingsAPI {
  // MARK: Requests

  struct PutParameters: ParameterList {
    let ifMatch: IfMatch?
    let force: Bool
    static let notes: [String: JSONValue] = [
      "force": [
        "description": "Also set values that end the contact with Overland's app, such as `send_interval` off.",
        "default": false,
      ]
    ]
  }

  struct WithdrawParameters: ParameterList {
    let ifMatch: IfMatch?
  }

  struct SettingsBody: OperationBody {
    let settings: DesiredSettings
    static func read(_ request: HTTPRequest) throws -> Self { Self(settings: try DesiredSettings(json: request.takeBody())) }
    static func requestBody(in components: SchemaComponents) -> JSONValue? {
      let schema: JSONValue = ["type": "object", "description": "Settings, nested or with dotted names, as in a settings file."]
      return ["required": true, "content": ["application/json": ["schema": schema]]]
    }
  }

  // MARK: Results

  struct DeviceSettings: ResultObject {
    var device: String
    @Nullable var desired: JSONFragment?
    var history: [SettingsChange]

    static let schemaName: String? = "DesiredSettings"

    init(of device: Device, _ db: any SQLConnection) throws {
      let changes = try DesiredSettingsChange.all(of: device.id, limit: DesiredSettingsChange.history, db)
      self.device = device.name
      desired = changes.first { $0.closed == nil }.map { JSONFragment($0.settings.stored) }
      history = changes.map { SettingsChange($0) }
    }
  }

  struct SettingsChange: ResultObject {
    var created: Date
    var settings: JSONFragment
    var state: DesiredSettingsChange.State
    var sends: Int
    @Nullable var firstSent: Date?
    @Nullable var lastSent: Date?
    @Nullable var closed: Date?

    static let notes: [String: JSONValue] = ["sends": ["minimum": 0]]

    init(_ change: DesiredSettingsChange) {
      (created, settings, state) = (change.created, JSONFragment(change.settings.stored), change.state)
      (sends, firstSent, lastSent, closed) = (change.sends, change.firstSent, change.lastSent, change.closed)
    }
  }

  /// The newest position and the current trip as sent by the device.
  struct CurrentState: ResultObject {
    var device: String
    @Nullable var current: JSONFragment?
    var currentReceived: Date?
    @Nullable var trip: JSONFragment?
    var tripReceived: Date?

    init(_ device: String, _ reports: [AppTables.Report]) {
      self.device = device
      let (current, trip) = (reports.first { $0.type == "current" }, reports.first { $0.type == "trip" })
      (self.current, currentReceived) = (current.map { JSONFragment($0.body) }, current?.time)
      (self.trip, tripReceived) = (trip.map { JSONFragment($0.body) }, trip?.time)
    }
  }
}
