internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitStore
internal import GodwitText
internal import GodwitWire

/// `/api/v1/devices/NAME/commands`, `…/owntracks-key` and `…/friends`: commands, keys and friends of OwnTracks apps.
struct OwnTracksAPI {
  let work: RequestWork
  let friendsCache: OwnTracksFriends
  let deviceWork: DeviceWork

  /// Maximum pending commands of a device, and bytes of a command.
  static let maximumWaiting = 100
  static let maximumBody = 1 << 20
  /// Commands of the past in an answer.
  static let history = 100
  /// Characters of a passphrase. Only the first 32 bytes of a longer one count.
  static let keyLengths = 1...255

  // MARK: Commands

  /// `GET /api/v1/devices/NAME/commands`
  func commands(_ request: HTTPRequest) -> HTTPReply {
    let name = request.parameter
    return work.later(request) {
      let device = try Device.named(name, in: work.store)
      let (commands, reports) = try work.store.read {
        (try AppTables.commands(of: device.id, limit: Self.history, $0), try AppTables.reports(of: device.id, $0))
      }
      let told = ["card", "status", "configuration"].map { type in
        let report = reports.first { $0.type == type }
        return #""\#(type)":\#(report.map { #"{"received":\#(Self.time($0.time)),"message":\#($0.body)}"# } ?? "null")"#
      }
      return .json(
        Array(
          #"{"commands":[\#(commands.map { Self.json($0) }.joined(separator: ","))],"reports":{\#(told.joined(separator: ","))}}"#
            .utf8) + [0x0A])
    }
  }

  /// `POST /api/v1/devices/NAME/commands`
  func add(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    let command: [UInt8]
    do throws(FormatError) { command = try OwnTracks.command(request.takeBody()) } catch {
      throw Problem(422, "Not a command", "\(error.reason).", at: error.place.description)
    }
    return deviceWork.change(request, name) { device, connection in
      let now = Date()
      guard try AppTables.waitingCommands(of: device.id, connection) < Self.maximumWaiting else {
        throw Problem(
          409, "Too many commands",
          "\(Self.maximumWaiting) commands wait for \(device.name) already. It has not been heard of; DELETE takes them back.")
      }
      let id = try AppTables.add(command: command, of: device.id, at: now, connection)
      let made = AppTables.Command(id: id, created: now, sent: nil, body: String(decoding: command, as: UTF8.self))
      return .json(Array((Self.json(made) + "\n").utf8), status: 201)
    }
  }

  /// `DELETE /api/v1/devices/NAME/commands`
  func withdraw(_ request: HTTPRequest) -> HTTPReply {
    deviceWork.change(request, request.parameter) { device, connection in
      let count = try AppTables.withdrawCommands(of: device.id, connection)
      return .json(Array(#"{"cancelled":\#(count)}"#.utf8) + [0x0A])
    }
  }

  private static func time(_ date: Date?) -> String { date.map { RFC3339.string($0).jsonQuoted } ?? "null" }

  private static func json(_ command: AppTables.Command) -> String {
    #"{"id":\#(command.id),"created":\#(time(command.created)),"sent":\#(time(command.sent)),"command":\#(command.body)}"#
  }

  // MARK: Keys

  /// `GET /api/v1/devices/NAME/owntracks-key`: whether a key is set. The key is never returned.
  func key(_ request: HTTPRequest) -> HTTPReply {
    let name = request.parameter
    return work.later(request) {
      let device = try Device.named(name, in: work.store)
      let terms = try work.store.read { try AppTables.terms(of: device.id, $0) }
      return .json(Array(#"{"set":\#(terms.key != nil)}"#.utf8) + [0x0A])
    }
  }

  /// `PUT` and `DELETE /api/v1/devices/NAME/owntracks-key`
  func setKey(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    var key: String?
    if request.method == "PUT" {
      let object = (try? JSONSerialization.jsonObject(with: Data(request.takeBody()))) as? [String: Any]
      guard let text = object?["key"] as? String, Self.keyLengths.contains(text.utf8.count) else {
        throw Problem(
          422, "Bad key",
          #"Expected {"key":"…"}: the encryption key as it is typed in the app, of at most \#(Self.keyLengths.upperBound) bytes; "#
            + "the first 32 count.", at: "key"
        )
      }
      key = text
    }
    return deviceWork.change(request, name) { [key] device, connection in
      try AppTables.set(key: key, of: device.id, connection)
      return .json(Array(#"{"set":\#(key != nil)}"#.utf8) + [0x0A])
    }
  }

  // MARK: Friends

  /// `GET /api/v1/devices/NAME/friends`
  func friends(_ request: HTTPRequest) -> HTTPReply {
    let name = request.parameter
    return work.later(request) {
      let device = try Device.named(name, in: work.store)
      return try work.store.read { try Self.friends(device, $0) }
    }
  }

  /// `PUT` and `DELETE /api/v1/devices/NAME/friends`
  func setFriends(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    var shares = false
    if request.method == "PUT" {
      let object = (try? JSONSerialization.jsonObject(with: Data(request.takeBody()))) as? [String: Any]
      guard let flag = object?["shares"] as? Bool, object?.count == 1 else {
        throw Problem(
          422, "Not a flag",
          #"Expected {"shares":true}: the device tells its place to the others that do so, and is told theirs."#,
          at: "shares"
        )
      }
      shares = flag
    }
    return deviceWork.change(request, name) { [shares] device, connection in
      try AppTables.set(shares: shares, of: device.id, connection)
      friendsCache.expire()
      return try Self.friends(device, connection)
    }
  }

  private static func friends(_ device: Device, _ connection: any SQLConnection) throws -> HTTPResponse {
    let sharing = try AppTables.sharing(connection)
    let shares = sharing.contains(device.id)
    let names = try connection.all("SELECT id, name FROM devices ORDER BY name") { (id: $0.integer(0), name: $0.text(1)) }
    let friends = shares ? names.filter { $0.id != device.id && sharing.contains($0.id) }.map(\.name.jsonQuoted) : []
    return .json(Array(#"{"shares":\#(shares),"friends":[\#(friends.joined(separator: ","))]}"#.utf8) + [0x0A])
  }
}
