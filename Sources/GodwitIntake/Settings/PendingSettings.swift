package import Foundation
internal import GodwitServices
package import GodwitStore

/// Desired settings for the command line, without a running server.
package enum PendingSettings {
  /// A change in the form in which it is shown.
  package struct Line: Sendable {
    package var created: Date
    package var lastSent: Date?
    package var closed: Date?
    package var state: String
    package var sends: Int
    /// A JSON object with dotted names.
    package var settings: String
  }

  /// Sets desired settings of a device, and replaces a pending change.
  /// - Parameter force: whether to accept settings that permanently stop an app.
  /// - Throws: ``UnknownDevice``, `Problem` if the settings would stop an app, or an error of the store.
  package static func place(
    _ settings: DesiredSettings, device name: String, force: Bool, in store: any StoreDatabase
  ) async throws {
    let device = try device(name, in: store)
    let now = store.clock.now
    try await store.write { try DesiredSettingsChange.place(settings, of: device.id, force: force, at: now, $0) }
  }

  /// Cancels the pending change. - Returns: whether there was one.
  package static func withdraw(device name: String, in store: any StoreDatabase) async throws -> Bool {
    let device = try device(name, in: store)
    let now = store.clock.now
    return try await store.write { try DesiredSettingsChange.close(.cancelled, of: device.id, at: now, $0) }
  }

  /// The changes of a device's settings, the newest first.
  package static func lines(device name: String, in store: any StoreDatabase) throws -> [Line] {
    let device = try device(name, in: store)
    return try store.read { try DesiredSettingsChange.all(of: device.id, limit: DesiredSettingsChange.history, $0) }.map {
      order in
      Line(
        created: order.created, lastSent: order.lastSent, closed: order.closed, state: order.state.rawValue,
        sends: order.sends, settings: order.settings.stored)
    }
  }

  private static func device(_ name: String, in store: any StoreDatabase) throws -> Device {
    guard let device = try store.device(named: name) else { throw UnknownDevice(name: name) }
    return device
  }

  package struct UnknownDevice: Error, CustomStringConvertible {
    package let name: String
    package var description: String { "No device is called \"\(name)\". `godwit device list` shows all devices." }
  }
}
