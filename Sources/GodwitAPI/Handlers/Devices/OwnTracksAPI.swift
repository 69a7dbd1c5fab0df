internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitWire

/// `/api/v1/devices/NAME/commands`, `…/owntracks-key` and `…/friends`: commands, keys and friends of OwnTracks apps.
struct OwnTracksAPI {
  let work: RequestWork
  let friendsCache: OwnTracksFriends
  let deviceWork: DeviceWork

  /// Maximum number of pending commands of a device, and maximum size of a command in bytes.
  static let maximumWaiting = 100
  static let maximumBody = 1 << 20
  /// Maximum number of past commands in a response.
  static let history = 100

  // MARK: Commands

  /// `GET /api/v1/devices/NAME/commands`
  func commands(_ request: PlainRequest) async throws -> CommandList {
    try await reading(request) { device, db in
      CommandList(try AppTables.commands(of: device.id, limit: Self.history, db), try AppTables.reports(of: device.id, db))
    }
  }

  /// `POST /api/v1/devices/NAME/commands`
  func add(_ request: BodyRequest<CommandBody>) async throws -> Created<CommandEntry> {
    let (command, now) = (request.body.command, work.now)
    return try await deviceWork.change(request.principal, request.parameter) { device, connection in
      guard try AppTables.waitingCommands(of: device.id, connection) < Self.maximumWaiting else {
        throw Problem(
          409, "Too many commands",
          "\(Self.maximumWaiting) commands wait for \(device.name) already. The app has not connected; DELETE withdraws them.")
      }
      let id = try AppTables.add(command: command, of: device.id, at: now, connection)
      let made = AppTables.Command(id: id, created: now, sent: nil, body: String(decoding: command, as: UTF8.self))
      return Created(CommandEntry(made))
    }
  }

  /// `DELETE /api/v1/devices/NAME/commands`
  func withdraw(_ request: PlainRequest) async throws -> CancelledCommands {
    try await deviceWork.change(request.principal, request.parameter) { device, connection in
      CancelledCommands(cancelled: try AppTables.withdrawCommands(of: device.id, connection))
    }
  }

  // MARK: Keys

  /// `GET /api/v1/devices/NAME/owntracks-key`: whether a key is set. The key is never returned.
  func key(_ request: PlainRequest) async throws -> KeyState {
    try await reading(request) { device, db in try KeyState(of: device, db) }
  }

  /// `PUT /api/v1/devices/NAME/owntracks-key`
  func setKey(_ request: BodyRequest<KeyBody>) async throws -> KeyState {
    let body = request.body
    return try await deviceWork.change(request.principal, request.parameter) { device, connection in
      if let key = body.key { try AppTables.set(key: key.text, of: device.id, connection) }
      if let sealedOnly = body.sealedOnly, try !AppTables.set(sealedOnly: sealedOnly, of: device.id, connection) {
        throw Problem(
          422, "Not a key", "sealed_only: \(device.name) has no key, so that every message would be rejected. Send the key too.",
          at: "sealed_only")
      }
      return try KeyState(of: device, connection)
    }
  }

  /// `DELETE /api/v1/devices/NAME/owntracks-key`
  func deleteKey(_ request: PlainRequest) async throws -> KeyState {
    try await deviceWork.change(request.principal, request.parameter) { device, connection in
      try AppTables.set(key: nil, of: device.id, connection)
      return try KeyState(of: device, connection)
    }
  }

  // MARK: Friends

  /// `GET /api/v1/devices/NAME/friends`
  func friends(_ request: PlainRequest) async throws -> FriendList {
    try await reading(request) { device, db in try FriendList(of: device, db) }
  }

  /// `PUT /api/v1/devices/NAME/friends`
  func setFriends(_ request: BodyRequest<SharingBody>) async throws -> FriendList {
    try await setSharing(request.body.shares, request)
  }

  /// `DELETE /api/v1/devices/NAME/friends`
  func deleteFriends(_ request: PlainRequest) async throws -> FriendList { try await setSharing(false, request) }

  private func setSharing<Body>(_ shares: Bool, _ request: BodyRequest<Body>) async throws -> FriendList {
    defer { friendsCache.expire() }
    return try await deviceWork.change(request.principal, request.parameter) { device, connection in
      try AppTables.set(shares: shares, of: device.id, connection)
      return try FriendList(of: device, connection)
    }
  }

  // MARK: Pieces

  private func reading<Value: Sendable>(
    _ request: PlainRequest, _ body: @escaping @Sendable (Device, any SQLConnection) throws -> Value
  ) async throws -> Value {
    let name = request.parameter
    return try await work.run {
      let device = try Device.named(name, in: work.store)
      return try work.store.read { try body(device, $0) }
    }
  }
}
