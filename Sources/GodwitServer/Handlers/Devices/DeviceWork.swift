internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitStore

/// Changes of what a device's app is told.
struct DeviceWork: Sendable {
  let work: RequestWork
  let appConfigurations: AppConfigurationCache
  /// The broker's client, which passes commands on; `nil`: there is no broker.
  let mqtt: MQTTClient?

  /// Suspends a request, writes on the store's thread, and answers after the commit. What an upload must know of the device's app
  /// is read anew.
  /// - Parameters:
  ///   - request: of the request.
  ///   - name: of the device.
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
        appConfigurations.forget(device.id)
        mqtt?.look()
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
