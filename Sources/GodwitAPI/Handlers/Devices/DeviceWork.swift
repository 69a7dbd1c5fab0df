internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitRoutes
internal import GodwitStore

/// Changes the data that the server sends to a device's app.
struct DeviceWork: Sendable {
  let work: RequestWork
  let appConfigurations: AppConfigurationCache
  /// The MQTT client, which publishes commands; `nil` without a broker.
  let mqtt: MQTTClient?

  /// Runs a change of a device in a transaction. Then reloads the data that the responses to uploads of the device's app contain.
  /// - Parameters:
  ///   - name: the name of the device.
  ///   - body: the change. If it throws a `Problem`, the transaction is rolled back.
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
