#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  internal import Foundation
  internal import Godwit

  /// The connections of a tracker to the app and to the device, which exist as long as its facade.
  @MainActor
  final class GWConnections {
    #if canImport(UIKit) && !os(watchOS)
      private let lifeCycle: ApplicationLifeCycle?
    #endif
    private let device: DeviceWatch?

    init(_ tracker: Tracker, _ configuration: GWConfiguration) {
      #if canImport(UIKit) && !os(watchOS)
        lifeCycle = configuration.observesApplication ? ApplicationLifeCycle(tracker: tracker) : nil
      #endif
      device = configuration.observesDevice ? DeviceWatch(tracker: tracker, fields: configuration.fields) : nil
      configuration.notificationCentre?.connect(tracker)
    }

    /// Registers the background refresh of a configuration, if it has one, and requests the first refresh.
    static func registerRefresh(
      _ configuration: GWConfiguration, _ tracker: @escaping @Sendable () async throws -> Tracker
    ) throws {
      #if canImport(BackgroundTasks) && canImport(UIKit) && !os(watchOS)
        guard let identifier = configuration.refreshIdentifier else { return }
        try BackgroundRefresh.register(identifier: identifier, tracker: tracker)
        BackgroundRefresh.schedule(identifier: identifier)
      #endif
    }
  }
#endif
