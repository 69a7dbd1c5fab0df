internal import Foundation
internal import Godwit
internal import GodwitCommandLine

#if os(Linux)
  internal import CoreLocation
#endif

/// Whether the tracker reports what this machine knows of itself.
enum MachineChoice: String, ArgumentValue {
  /// With a receiver: what a file has recorded happened elsewhere.
  case auto
  case on
  case off

  init(argument: String) throws(UsageError) {
    guard let choice = MachineChoice(rawValue: argument) else {
      throw UsageError("\"\(argument)\" is not valid; write auto, on or off")
    }
    self = choice
  }

  #if os(Linux)
    func session(source: String) -> DeviceSession? {
      switch self {
      case .on: DeviceSession()
      case .off: nil
      case .auto: Receivers.isMeant(by: source) ? DeviceSession() : nil
      }
    }
  #endif
}

#if os(Linux)
  /// Battery, network, wifi and notifications of this machine, for a tracker.
  final class DeviceSession: Sendable {
    private let monitor = DeviceMonitor()
    let notifier = DesktopNotifier { Output.log($0) }

    /// Keeps a tracker informed, and shows its notices, until the task is cancelled.
    func run(_ tracker: Tracker) async {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { [monitor] in await monitor.run(updating: tracker) { Self.report($0) } }
        group.addTask { [notifier] in
          // Where nobody wants notices, nobody need know where they would appear.
          let isWanted = await tracker.settings.notifies
          await notifier.run(telling: { if isWanted { Self.report($0) } }, answering: { tracker.respond($0) })
        }
      }
    }

    /// What a person should know; what works is in `godwit doctor`.
    private static func report(_ part: DeviceMonitor.Part) {
      if part.condition != .works { Output.log("\(part.kind.title): \(part.text)") }
    }

    /// Everything, looked at once.
    static func check() async -> [DeviceMonitor.Part] {
      async let parts = DeviceMonitor().check()
      async let notifications = DesktopNotifier { _ in }.check()
      return await parts + [notifications]
    }
  }

  extension DeviceMonitor.Part.Kind {
    var title: String {
      switch self {
      case .battery: "Battery"
      case .network: "Network"
      case .wifi: "Wifi"
      case .notifications: "Notifications"
      }
    }
  }
#endif
