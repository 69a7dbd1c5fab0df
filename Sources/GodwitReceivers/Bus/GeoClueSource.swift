package import Foundation
package import GodwitDBus
internal import GodwitModel

/// Positions from GeoClue 2, the location service of Linux desktops. It uses the wifi networks and cells nearby, the receiver of
/// a modem, and receivers that are announced in the local network.
///
/// GeoClue asks an agent of the desktop whether a program may access the location. On a machine without an agent,
/// `/etc/geoclue/geoclue.conf` must name the program. When the service ends, it is requested again after 1 s, then 2 s, … 30 s,
/// or as soon as it is available.
///
/// Source: https://www.freedesktop.org/software/geoclue/docs/
public final class GeoClueSource: PositionSource {
  package static let service = "org.freedesktop.GeoClue2"
  static let manager = "/org/freedesktop/GeoClue2/Manager"
  /// The highest accuracy level of GeoClue: 8, exact.
  private static let exact: UInt32 = 8
  /// The time that the user has to answer the question of the agent.
  private static let timeout = Duration.seconds(120)

  /// The name by which GeoClue and its agent identify the program.
  public let desktopID: String
  private let conversation: BusConversation
  private let now: @Sendable () -> Date

  /// - Parameter desktopID: the name of the program's desktop file without `.desktop`. It is also the name of its section in
  /// `geoclue.conf`.
  public convenience init(desktopID: String = "godwit") { self.init(desktopID: desktopID, bus: .system) }

  package init(
    desktopID: String = "godwit", bus: DBusAddress, now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  ) {
    self.desktopID = desktopID
    self.now = now
    conversation = BusConversation(bus: bus, service: Self.service, sleep: sleep)
  }

  public var isSimulated: Bool { false }

  public func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    var last: Fix?
    try await conversation.subscribe { connection, isWell in
      try await converse(connection) { event in
        if case .positions(let fixes) = event {
          isWell()
          // The newest position is read at the start, and may be reported again by a signal.
          guard fixes.last != last else { return }
          last = fixes.last
        }
        await tell(event)
      }
    } failed: { error in
      await tell(.unavailable(advice(error)))
    }
  }

  private func converse(_ bus: DBusConnection, _ tell: (PositionEvent) async -> Void) async throws {
    // The signals are subscribed first, so that none is missed.
    let signals = try await bus.signals([
      DBusRule(service: Self.service, interface: Self.service + ".Client", member: "LocationUpdated"),
      .changes(of: Self.service + ".Client", service: Self.service), .presence(of: Self.service),
    ])
    let response = try await bus.call(
      DBusCall(service: Self.service, path: Self.manager, interface: Self.service + ".Manager", member: "GetClient"))
    guard let client = response.first?.text else {
      throw DBusError(.malformed, "\(Self.service) created no client.")
    }
    let wishes: [(String, DBusValue)] = [
      ("DesktopId", .string(desktopID)), ("RequestedAccuracyLevel", .uint32(Self.exact)),
      // Every position is requested. The filters of the tracker remove those that are too near or too soon.
      ("DistanceThreshold", .uint32(0)), ("TimeThreshold", .uint32(0)),
    ]
    for (name, value) in wishes {
      _ = try await bus.call(
        DBusCall(
          service: Self.service, path: client, interface: "org.freedesktop.DBus.Properties", member: "Set",
          arguments: [.string(Self.service + ".Client"), .string(name), .variant(value)]))
    }
    _ = try await bus.call(
      DBusCall(service: Self.service, path: client, interface: Self.service + ".Client", member: "Start"),
      timeout: Self.timeout)
    let properties = try await bus.properties(of: Self.service + ".Client", service: Self.service, path: client)
    if let path = properties["Location"]?.text {
      if let event = try await place(bus, path) { await tell(event) }
    } else {
      try await tell(nothingYet(bus))
    }
    for await signal in signals {
      try conversation.check(signal)
      guard signal.path == client else { continue }
      switch signal.member {
      case "LocationUpdated":
        if let path = signal.arguments.last?.text, let event = try await place(bus, path) { await tell(event) }
      case "PropertiesChanged" where signal.arguments.dropFirst().first?.properties?["Active"]?.boolean == false:
        await tell(.unavailable("GeoClue stopped: location services were turned off in the desktop's settings."))
      default: break
      }
    }
    try Task.checkCancellation()
    throw BusConversation.end(of: bus)
  }
}

extension GeoClueSource {
  /// Reads a location object and returns its position, or the reason why there is none; `nil`: the object no longer exists.
  private func place(_ bus: DBusConnection, _ path: String) async throws -> PositionEvent? {
    // This path means that there is no position yet.
    guard path != "/" else { return try await nothingYet(bus) }
    let properties: [String: DBusValue]
    do {
      properties = try await bus.properties(of: Self.service + ".Location", service: Self.service, path: path)
    } catch let error as DBusError {
      // GeoClue deletes a location object after two newer ones. A slow reader gets the next one.
      guard case .rejected = error.code else { throw error }
      return nil
    }
    guard let fix = Self.fix(properties, now: now()) else {
      return .unavailable("GeoClue reported an invalid position, which is skipped.")
    }
    return .positions([fix])
  }

  private func nothingYet(_ bus: DBusConnection) async throws -> PositionEvent {
    let properties = try await bus.properties(
      of: Self.service + ".Manager", service: Self.service, path: Self.manager)
    if properties["AvailableAccuracyLevel"]?.whole == 0 {
      return .unavailable(
        "GeoClue has no source of positions: no Wi-Fi, modem or receiver. Use --source gpsd://127.0.0.1 for gpsd.")
    }
    return .unavailable("GeoClue has no position yet.")
  }

  /// Converts a location of GeoClue.
  /// - Parameters:
  ///   - properties: the properties of the location.
  ///   - now: the time of a location without a timestamp.
  /// - Returns: the fix; `nil`: the coordinates are invalid.
  static func fix(_ properties: [String: DBusValue], now: Date) -> Fix? {
    guard let latitude = properties["Latitude"]?.double, let longitude = properties["Longitude"]?.double,
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    func known(_ name: String, _ range: ClosedRange<Double>) -> Double? {
      properties[name]?.double.flatMap { range.contains($0) ? $0 : nil }
    }
    var time = now
    if case .structure(let parts)? = properties["Timestamp"]?.inside, parts.count == 2, let seconds = parts[0].whole,
      let microseconds = parts[1].whole, seconds > 0
    {
      time = Date(timeIntervalSince1970: Double(seconds) + Double(microseconds) / 1e6)
    }
    return Fix(
      time: time, coordinate: place, horizontalAccuracy: known("Accuracy", 0...1e8),
      // An unknown altitude is the smallest double. An unknown speed or heading is −1.
      altitude: known("Altitude", -20_000...1e6), speed: known("Speed", 0...1e5), course: known("Heading", 0...360))
  }

  private func advice(_ error: DBusError) -> String {
    switch error.code {
    case .noService:
      "GeoClue is not installed, or cannot be started: \(error) Install it (Debian and Ubuntu: apt install geoclue-2.0). "
        + "Trying again."
    case .rejected("org.freedesktop.DBus.Error.AccessDenied"):
      "GeoClue does not allow \(desktopID) to access the location: \(error) Allow it in the desktop's settings, or with a section "
        + "[\(desktopID)] that has the lines allowed=true, system=true and users= in /etc/geoclue/geoclue.conf, and restart "
        + "GeoClue (systemctl restart geoclue). Trying again."
    case .timedOut: "GeoClue does not answer; its agent may be waiting for the user's permission. Trying again."
    case .noBus, .disconnected, .malformed, .rejected: "GeoClue cannot provide a position: \(error) Trying again."
    }
  }
}
