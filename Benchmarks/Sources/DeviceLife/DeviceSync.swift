package import Foundation
import Godwit

/// The result of a device's first copy of a server's regions.
package struct DeviceSync: Codable {
  package var regions = 0
  package var seconds = 0.0
  /// Memory in MiB: before the copy, after it, and the peak.
  package var before = 0.0
  package var after = 0.0
  package var highest = 0.0

  /// Copies the regions.
  /// - Parameters:
  ///   - path: the file of the regions.
  ///   - server: the address of the server.
  ///   - token: the token of the device.
  package static func run(to path: String, from server: URL, token: String) async throws -> DeviceSync {
    var report = DeviceSync()
    report.before = DeviceReport.memory("VmRSS") / 1024
    let begin = ContinuousClock.now
    let manager = try RegionManager(path: path)
    let sync = SyncCoordinator(
      configuration: SyncCoordinator.Configuration(server: server, token: .fixed(token)),
      participants: [RegionSync(manager: manager)])
    await copy(sync)
    report.seconds = Double((ContinuousClock.now - begin) / .nanoseconds(1)) / 1e9
    report.regions = manager.count
    report.after = DeviceReport.memory("VmRSS") / 1024
    report.highest = DeviceReport.memory("VmHWM") / 1024
    return report
  }

  private static func copy(_ sync: SyncCoordinator) async { _ = await sync.sync() }
}
