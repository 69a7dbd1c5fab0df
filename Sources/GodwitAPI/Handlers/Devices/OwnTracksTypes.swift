internal import Foundation
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitWire

extension OwnTracksAPI {
  // MARK: Requests

  struct CommandBody: OperationBody {
    let command: [UInt8]

    static func read(_ request: HTTPRequest) throws -> Self {
      do throws(FormatError) { return Self(command: try OwnTracks.command(request.takeBody())) } catch {
        throw Problem(422, "Not a command", "\(error.reason).", at: error.place.description)
      }
    }

    static func requestBody(in components: SchemaComponents) -> JSONValue? {
      let schema: JSONValue = [
        "type": "object", "required": ["action"],
        "properties": [
          "action": ["type": "string", "enum": .array(OwnTracks.actions.map { .string($0) })], "from": ["type": "integer"],
          "to": ["type": "integer"], "waypoints": ["type": ["array", "object"]], "configuration": ["type": "object"],
        ],
      ]
      return ["required": true, "content": ["application/json": ["schema": schema]]]
    }
  }

  struct KeyBody: BodyObject {
    let key: KeyText?
    let sealedOnly: Bool?

    static let kind = "key"
    static let notes: [String: JSONValue] = [
      "key": "Absent: the key remains.",
      "sealed_only": "Whether plain messages are rejected; needs a key. Absent: as before.",
    ]

    func check(_ body: JSONBody) throws(Problem) {
      if key == nil, sealedOnly == nil { throw body.fault("key", KeyText.missing) }
    }
  }

  /// A passphrase. Bytes after the 32nd have no effect.
  struct KeyText: BodyValue {
    let text: String
    private static let length = 1...255
    static let missing = "expected the encryption key of the app's settings, of at most 255 bytes; only the first 32 are used."

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let text = try body.text(name) else { return nil }
      guard length.contains(text.utf8.count) else { throw body.fault(name, missing) }
      return Self(text: text)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "string", "minLength": .integer(length.lowerBound), "maxLength": .integer(length.upperBound)]
    }
    static var sample: Self { Self(text: "") }
  }

  struct SharingBody: BodyObject {
    let shares: Bool
    static let kind = "sharing setting"
    static let notes: [String: JSONValue] = [
      "shares": "Whether the device sends its position to the others that share theirs, and receives theirs."
    ]
  }

  // MARK: Results

  struct CommandList: ResultObject {
    var commands: [CommandEntry]
    var reports: Reports

    init(_ commands: [AppTables.Command], _ reports: [AppTables.Report]) {
      self.commands = commands.map { CommandEntry($0) }
      self.reports = Reports(reports)
    }
  }

  struct CommandEntry: ResultObject {
    var id: Int64
    var created: Date
    @Nullable var sent: Date?
    var command: JSONFragment

    static let schemaName: String? = "Command"

    init(_ command: AppTables.Command) {
      (id, created, sent, self.command) = (command.id, command.created, command.sent, JSONFragment(command.body))
    }
  }

  /// The newest reports of the app.
  struct Reports: ResultObject {
    private enum CodingKeys: String, CodingKey {
      case profile
      case status
      case configuration
    }

    @Nullable var profile: Report?
    @Nullable var status: Report?
    @Nullable var configuration: Report?

    init(_ reports: [AppTables.Report]) {
      func newest(_ type: String) -> Report? {
        reports.first { $0.type == type }.map { Report(received: $0.time, message: JSONFragment($0.body)) }
      }
      (profile, status, configuration) = (newest("card"), newest("status"), newest("configuration"))
    }
  }

  struct Report: ResultObject {
    var received: Date
    var message: JSONFragment
  }

  struct CancelledCommands: ResultObject {
    var cancelled: Int
    static let notes: [String: JSONValue] = ["cancelled": ["minimum": 0]]
  }

  struct KeyState: ResultObject {
    var set: Bool
    var sealedOnly: Bool

    static let notes: [String: JSONValue] = ["sealed_only": "Whether plain messages are rejected."]

    init(of device: Device, _ db: any SQLConnection) throws {
      let configuration = try AppTables.configuration(of: device.id, db)
      (set, sealedOnly) = (configuration.key != nil, configuration.isSealedOnly)
    }
  }

  struct FriendList: ResultObject {
    var shares: Bool
    var friends: [String]

    init(of device: Device, _ db: any SQLConnection) throws {
      (shares, friends) = try AppTables.friends(of: device.id, db)
    }
  }
}
