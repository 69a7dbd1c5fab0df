internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitStore

/// Changes of what the server sends to a device's app.
struct DeviceWork: Sendable {
  let work: RequestWork
  let appConfigurations: AppConfigurationCache
  /// The MQTT client, which publishes commands; `nil` without a broker.
  let mqtt: MQTTClient?

  /// Changes something of a device in a transaction. Then reloads what uploads of the device's app are answered with.
  /// - Parameters:
  ///   - name: the name of the device.
  ///   - body: writes; may throw a `Problem`, and then nothing is written.
  func change<Value: Sendable>(
    _ principal: Principal, _ name: String, _ body: @escaping @Sendable (Device, any SQLConnection) throws -> Value
  ) async throws -> Value {
    let device = try await work.run { try principal.device(named: name, in: work.store, wholly: true) }
    defer {
      appConfigurations.invalidate(device.id)
      mqtt?.wake()
    }
    return try await work.write { try body(device, $0) }
  }
}
