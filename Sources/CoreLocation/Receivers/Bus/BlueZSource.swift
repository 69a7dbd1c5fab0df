internal import Foundation
package import GodwitDBus
internal import GodwitReceivers

/// A source of the beacons that this machine's Bluetooth radio receives. It uses BlueZ.
///
/// While it runs, the radio searches for Bluetooth Low Energy devices and reports every advertisement. BlueZ ends the search
/// when the connection to the bus is closed. A radio that is connected or turned on later is used from then on.
package final class BlueZSource: BeaconSource {
  private let conversation: BusConversation
  private let isSystem: Bool

  package init(
    bus: DBusAddress = .system,
    sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  ) {
    conversation = BusConversation(bus: bus, service: BlueZListener.service, sleep: sleep)
    // A bus that is set in the environment may belong to another machine or a test.
    isSystem = bus == .system && ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] == nil
  }

  /// Whether the machine has a Bluetooth radio now; `true` on another bus than the system's, where that cannot be checked.
  package var isAvailable: Bool {
    guard isSystem else { return true }
    return !((try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/bluetooth")) ?? []).isEmpty
  }

  package func run(_ tell: @escaping @Sendable (BeaconEvent) async -> Void) async throws {
    try await conversation.subscribe { connection, isWell in
      try await converse(connection, isWell, tell)
    } failed: { error in
      await tell(.unavailable(Self.advice(error)))
    }
  }

  private func converse(
    _ bus: DBusConnection, _ isWell: () -> Void, _ tell: (BeaconEvent) async -> Void
  ) async throws {
    let service = BlueZListener.service
    let objects = "org.freedesktop.DBus.ObjectManager"
    // Subscribed before the objects are read, so that no change is missed.
    let signals = try await bus.signals([
      DBusRule(service: service, interface: objects, member: "InterfacesAdded"),
      DBusRule(service: service, interface: objects, member: "InterfacesRemoved"),
      .changes(of: BlueZListener.device, service: service), .changes(of: BlueZListener.adapter, service: service),
      .presence(of: service),
    ])
    let response = try await bus.call(
      DBusCall(service: service, path: "/", interface: objects, member: "GetManagedObjects"))
    guard let all = response.first?.properties else { throw DBusError(.malformed, "\(service) reported no objects.") }
    var listener = BlueZListener()
    try await carryOut(listener.begin(all), bus, isWell, tell)
    for await signal in signals {
      try conversation.check(signal)
      try await carryOut(listener.handle(signal), bus, isWell, tell)
    }
    try Task.checkCancellation()
    throw BusConversation.end(of: bus)
  }

  private func carryOut(
    _ actions: [BlueZListener.Action], _ bus: DBusConnection, _ isWell: () -> Void, _ tell: (BeaconEvent) async -> Void
  ) async throws {
    for action in actions {
      switch action {
      case .sighted(let sighting): await tell(.sightings([sighting]))
      case .lost(let reason): await tell(.unavailable(reason))
      case .search(let radio):
        try await search(radio, bus)
        isWell()
      }
    }
  }

  private func search(_ radio: String, _ bus: DBusConnection) async throws {
    let entries: [(String, DBusValue)] = [("Transport", .string("le")), ("DuplicateData", .boolean(true))]
    let filter = DBusValue.dictionary(
      of: "sv", entries.map { DBusValue.Entry(key: .string($0.0), value: .variant($0.1)) })
    for (member, arguments) in [("SetDiscoveryFilter", [filter]), ("StartDiscovery", [])] {
      do {
        _ = try await bus.call(
          DBusCall(
            service: BlueZListener.service, path: radio, interface: BlueZListener.adapter, member: member,
            arguments: arguments))
      } catch let error as DBusError where error.code == .rejected("org.bluez.Error.InProgress") {
        // The radio is already searching.
      }
    }
  }

  private static func advice(_ error: DBusError) -> String {
    switch error.code {
    case .noService:
      "BlueZ is not running; beacons cannot be detected. Install it (Debian and Ubuntu: apt install bluez) and start it "
        + "(systemctl enable --now bluetooth). Trying again."
    case .rejected("org.freedesktop.DBus.Error.AccessDenied"):
      "BlueZ does not let this user listen for beacons: \(error) Add the user to the group bluetooth (usermod -aG bluetooth "
        + "NAME) and log in again. Trying again."
    case .noBus, .disconnected, .timedOut, .malformed, .rejected: "Beacons cannot be detected: \(error) Trying again."
    }
  }
}
