package import GodwitModel

// Conversions of values of Apple's frameworks. They are separate from the files that read the values, so that they are tested on
// systems without those frameworks.

extension BatteryState {
  /// Converts a state of UIKit (`UIDevice.BatteryState`).
  package init(uiDevice number: Int) { self = UInt8(exactly: number).flatMap { BatteryState(rawValue: $0) } ?? .unknown }
}

/// The battery level as UIKit reports it.
package enum BatteryLevel {
  /// Returns the level, 0…1; `nil` for −1, which means unknown.
  package static func fraction(uiDevice level: Float) -> Double? {
    level >= 0 ? min(1, (Double(level) * 100).rounded() / 100) : nil
  }
}

/// The name of a mobile network.
package enum Carrier {
  /// Returns the first valid name. Newer systems return "--" for every network.
  package static func name(_ names: [String]) -> String? {
    names.map { String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()) }.sorted().first {
      name in
      name.contains { $0.isLetter || $0.isNumber } && name != "65535"
    }
  }
}

/// The name of a wifi network or the address of its access point.
package enum WifiName {
  /// Returns the name; `nil` for a missing value or a placeholder.
  package static func known(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text != "00:00:00:00:00:00", text != "02:00:00:00:00:00" else { return nil }
    return text
  }
}

extension AdvertisingID {
  /// - Parameters:
  ///   - uuid: the identifier as the system returns it; all zeros if the user refused or was not asked.
  ///   - isAllowed: whether the user allows tracking.
  package init(uuid: String, isAllowed: Bool) {
    let isNone = uuid.allSatisfy { $0 == "0" || $0 == "-" }
    let mayTell = isAllowed && !isNone
    self.init(id: mayTell ? uuid.lowercased() : "", isOptedOut: !mayTell)
  }
}

extension BackgroundFetchResult {
  /// The raw value in UIKit (`UIBackgroundFetchResult`).
  package var uiKitNumber: UInt {
    switch self {
    case .newData: 0
    case .noData: 1
    case .failed: 2
    }
  }

  /// Whether the background task succeeded. No new data is not a failure.
  package var isSuccess: Bool { self != .failed }
}

extension DeviceContext {
  /// Sets the values that are constant while a program runs.
  /// - Parameters:
  ///   - machine: the hardware model identifier, "iPhone16,2".
  ///   - systemName: "iOS".
  ///   - systemVersion: "18.1".
  package mutating func describe(machine: String, systemName: String, systemVersion: String) {
    deviceModel = machine.isEmpty ? nil : machine
    let system = [systemName, systemVersion].filter { !$0.isEmpty }.joined(separator: " ")
    self.systemVersion = system.isEmpty ? nil : system
  }
}
