internal import Foundation
internal import Godwit
internal import GodwitCommandLine

#if os(Linux)
  internal import CoreLocation
#endif

/// Whether the tracker reports data of this machine, such as battery and network.
enum MachineChoice: String, ArgumentValue {
  /// Only with a receiver, because the positions of a file are from elsewhere.
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

    /// Updates a tracker and shows its notices until the task is cancelled.
    func run(_ tracker: Tracker) async {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { [monitor] in await monitor.run(updating: tracker) { Self.report($0) } }
        group.addTask { [notifier] in
          // Without notifications the state of the notification service is not reported.
          let isWanted = await tracker.settings.notifies
          await notifier.run(telling: { if isWanted { Self.report($0) } }, answering: { tracker.respond($0) })
        }
      }
    }

    /// Logs a part that does not work. `godwit doctor` lists all parts.
    private static func report(_ part: DeviceMonitor.Part) {
      if part.condition != .works { Output.log("\(part.kind.title): \(part.text)") }
    }

    /// Checks all parts once.
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
