internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitStore

/// Changes of what the server sends to a device's app.
struct DeviceWork: Sendable {
  let work: RequestWork
  let appConfigurations: AppConfigurationCache
  /// The MQTT client, which publishes commands; `nil` without a broker.
  let mqtt: MQTTClient?

  /// Suspends a request, writes on the store's thread, and answers after the commit. Then reloads what uploads of the
  /// device's app are answered with.
  /// - Parameters:
  ///   - request: the request.
  ///   - name: the name of the device.
  ///   - body: writes; may throw a `Problem`, and then nothing is written.
  func change(
    _ request: HTTPRequest, _ name: String,
    _ body: @escaping @Sendable (Device, any SQLConnection) throws -> HTTPResponse
  ) -> HTTPReply {
    let reader = request.reader
    if let refusal = request.suspend() { return .now(refusal) }
    work.reading.async {
      let device: Device
      do throws(Problem) { device = try reader.device(named: name, in: work.store, wholly: true) } catch {
        return request.finish(error.response)
      }
      work.store.write({ try body(device, $0) }) { result in
        appConfigurations.invalidate(device.id)
        mqtt?.wake()
        switch result {
        case .success(let response): request.finish(response)
        case .failure(let problem as Problem): request.finish(problem.response)
        case .failure(let error): request.finish(Intake.unavailable(error).response)
        }
      }
    }
    return .later
  }
}
