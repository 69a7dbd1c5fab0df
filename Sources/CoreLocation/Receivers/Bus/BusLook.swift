package import GodwitDBus
package import GodwitReceivers

/// A component of this machine that provides positions or beacons, and whether it is available.
package struct SourcePart: Sendable, Hashable {
  package var isAvailable: Bool
  /// A text for the user: the state of the component, or how to install it.
  package var text: String
}

extension GeoClueSource {
  /// Checks whether GeoClue is installed. The service is not started.
  package static func check(bus: DBusAddress = .system) async -> SourcePart {
    do {
      let connection = try await DBusConnection(bus)
      var names: [String] = []
      for member in ["ListNames", "ListActivatableNames"] {
        let response = try await connection.call(
          DBusCall(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: member))
        names += response.first?.elements?.compactMap(\.text) ?? []
      }
      return names.contains(service)
        ? SourcePart(isAvailable: true, text: "is installed")
        : SourcePart(
          isAvailable: false,
          text: "is not installed; needed by godwit track --source geoclue: only (apt install geoclue-2.0)")
    } catch {
      return SourcePart(isAvailable: false, text: "does not answer: \(error)")
    }
  }
}

extension BlueZSource {
  /// Checks whether beacons can be received. No service is started and no radio is turned on.
  package static func check(bus: DBusAddress = .system) async -> SourcePart {
    do {
      let connection = try await DBusConnection(bus)
      let response = try await connection.call(
        DBusCall(
          service: BlueZListener.service, path: "/", interface: "org.freedesktop.DBus.ObjectManager",
          member: "GetManagedObjects", startsService: false))
      var listener = BlueZListener()
      for case .lost(let reason) in listener.begin(response.first?.properties ?? [:]) {
        return SourcePart(isAvailable: false, text: reason)
      }
      return SourcePart(isAvailable: true, text: "a Bluetooth radio is on")
    } catch let error as DBusError where error.code == .noService {
      return SourcePart(
        isAvailable: false,
        text: "BlueZ is not running; needed for beacons only (apt install bluez; systemctl enable --now bluetooth)")
    } catch {
      return SourcePart(isAvailable: false, text: "does not answer: \(error)")
    }
  }
}
