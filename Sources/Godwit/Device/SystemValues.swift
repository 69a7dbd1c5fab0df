internal import Foundation
internal import GodwitEngine
internal import GodwitModel

// What Apple's systems say of a device in their own numbers and words, as values of ours. Kept apart from the files that
// ask, so that it is tested where those do not compile.

extension BatteryState {
  /// The state by the number that UIKit has for it (`UIDevice.BatteryState`).
  init(uiDevice number: Int) { self = UInt8(exactly: number).flatMap { BatteryState(rawValue: $0) } ?? .unknown }
}

/// A battery's level as UIKit tells it.
enum BatteryLevel {
  /// 0…1; `nil` for −1, which stands for an unknown one.
  static func fraction(uiDevice level: Float) -> Double? {
    level >= 0 ? min(1, (Double(level) * 100).rounded() / 100) : nil
  }
}

/// The name of a mobile network.
enum Carrier {
  /// The first name that is one. Newer systems tell "--" for every network.
  static func name(_ names: [String]) -> String? {
    names.map { $0.trimmingCharacters(in: .whitespaces) }.sorted().first { name in
      name.contains { $0.isLetter || $0.isNumber } && name != "65535"
    }
  }
}

/// The name of a wifi network or the address of its access point.
enum WifiName {
  /// `nil` for what stands for none.
  static func known(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text != "00:00:00:00:00:00", text != "02:00:00:00:00:00" else { return nil }
    return text
  }
}

extension AdvertisingID {
  /// - Parameters:
  ///   - uuid: as the system gives it; all zeros where the person refused or was not asked.
  ///   - isAllowed: whether the person allows tracking.
  init(uuid: String, isAllowed: Bool) {
    let isNone = uuid.allSatisfy { $0 == "0" || $0 == "-" }
    let mayTell = isAllowed && !isNone
    self.init(id: mayTell ? uuid.lowercased() : "", isOptedOut: !mayTell)
  }
}

extension BackgroundFetchResult {
  /// The number that UIKit has for it (`UIBackgroundFetchResult`).
  var uiKitNumber: UInt {
    switch self {
    case .newData: 0
    case .noData: 1
    case .failed: 2
    }
  }

  /// Whether a background task has done what it was for. That there was nothing to do is no failure.
  var isSuccess: Bool { self != .failed }
}

extension DeviceContext {
  /// Puts in what never changes while a program runs.
  /// - Parameters:
  ///   - machine: the hardware's own name, "iPhone16,2".
  ///   - systemName: "iOS".
  ///   - systemVersion: "18.1".
  mutating func describe(machine: String, systemName: String, systemVersion: String) {
    deviceModel = machine.isEmpty ? nil : machine
    let system = [systemName, systemVersion].filter { !$0.isEmpty }.joined(separator: " ")
    self.systemVersion = system.isEmpty ? nil : system
  }
}
