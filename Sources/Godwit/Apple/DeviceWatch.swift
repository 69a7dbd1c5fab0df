#if canImport(Network) && canImport(Darwin)
  // Not compiled on systems without the Network framework, so it holds no decisions.
  internal import Darwin
  internal import Foundation
  internal import GodwitEngine
  public import GodwitModel
  internal import Network
  #if canImport(UIKit) && !os(watchOS)
    internal import UIKit
  #endif

  /// Reports the state of the device to a tracker: model and system, network, battery and wifi; and, only if the settings
  /// collect them, the carrier and the advertising identifier.
  ///
  ///     let watch = DeviceWatch(tracker: tracker, fields: settings.fields)
  ///
  /// Retain it as long as the tracker. The counterpart on Linux is `DeviceMonitor`.
  @MainActor
  public final class DeviceWatch {
    private let monitor = NWPathMonitor()
    #if canImport(UIKit) && !os(tvOS) && !os(watchOS)
      private let battery: Battery
    #endif

    /// Starts to observe at once.
    /// - Parameters:
    ///   - tracker: receives the state.
    ///   - fields: the fields that are collected. The carrier and the advertising identifier are read only if they are collected.
    public init(tracker: Tracker, fields: CollectingFields = .standard) {
      #if canImport(UIKit) && !os(tvOS) && !os(watchOS)
        battery = Battery(tracker)
      #endif
      Self.describe(tracker)
      if fields.contains(.network) { Self.reportCarrier(tracker) }
      if fields.contains(.advertisingID) { Self.reportAdvertising(tracker) }
      monitor.pathUpdateHandler = { path in
        tracker.networkChanged(isReachable: path.status == .satisfied, isWifi: path.usesInterfaceType(.wifi))
        // Wifi zones need the name of the wifi even if it is not collected.
        Self.reportWifi(tracker)
      }
      monitor.start(queue: DispatchQueue(label: "godwit.network"))
    }

    deinit { monitor.cancel() }

    private static func describe(_ tracker: Tracker) {
      #if canImport(UIKit) && !os(watchOS)
        let (name, version) = (UIDevice.current.systemName, UIDevice.current.systemVersion)
      #else
        let system = ProcessInfo.processInfo.operatingSystemVersion
        let (name, version) = ("macOS", "\(system.majorVersion).\(system.minorVersion)")
      #endif
      let machine = machine
      tracker.update { $0.describe(machine: machine, systemName: name, systemVersion: version) }
    }

    /// The model identifier of the device, for example "iPhone16,2".
    private static var machine: String {
      var system = utsname()
      guard uname(&system) == 0 else { return "" }
      return withUnsafeBytes(of: system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func reportCarrier(_ tracker: Tracker) {
      #if canImport(CoreTelephony) && canImport(UIKit)
        let name = MobileNetwork.name
        tracker.update { $0.carrier = name }
      #endif
    }

    private static func reportAdvertising(_ tracker: Tracker) {
      #if canImport(AdSupport) && canImport(AppTrackingTransparency)
        let advertising = Advertising.current
        tracker.update { $0.advertising = advertising }
      #endif
    }

    private nonisolated static func reportWifi(_ tracker: Tracker) {
      #if canImport(NetworkExtension) && canImport(UIKit) && !os(tvOS) && !os(watchOS)
        Wifi.notify(tracker)
      #endif
    }
  }
#endif
