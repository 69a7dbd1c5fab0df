internal import Foundation
package import GodwitReceivers

/// Creates receivers from addresses: `gpsd://HOST:PORT/DEVICE`, `geoclue:`, or `none:` for no receiver. The environment variable
/// may also contain the path of a recorded file.
package enum Receivers {
  /// The valid forms of an address, for error messages.
  package static let expected = "gpsd://HOST, gpsd://HOST:PORT, gpsd://HOST:PORT/dev/DEVICE, geoclue: or none:"

  /// Whether a text is the address of a receiver, valid or not. Any other text is the path of a file.
  package static func isMeant(by text: String) -> Bool {
    ["gpsd:", "geoclue:", "none:"].contains { text.hasPrefix($0) }
  }

  /// Returns the receiver of an address; `nil`: the address is invalid.
  package static func source(_ address: String) -> (any PositionSource)? {
    switch address {
    case "geoclue:": GeoClueSource()
    case "none:": NoReceiver()
    default: GpsdSource(address: address)
    }
  }

  /// Returns the source in the variable `GODWIT_LOCATION_SOURCE` of an environment; by default gpsd on this machine.
  static func source(in environment: [String: String]) -> any PositionSource {
    let address = environment["GODWIT_LOCATION_SOURCE"] ?? ""
    if address.isEmpty { return GpsdSource(host: "127.0.0.1", port: 2947) }
    if let source = source(address) { return source }
    let speed = environment["GODWIT_LOCATION_SPEED"] ?? "1"
    guard !isMeant(by: address), !address.contains("://") else {
      return UnknownSource(reason: "GODWIT_LOCATION_SOURCE is \(address); expected \(expected), or a recorded file.")
    }
    do {
      _ = try ReplayFile(path: address, now: Date().timeIntervalSince1970)
    } catch {
      return UnknownSource(reason: "GODWIT_LOCATION_SOURCE is \(address); expected \(expected), or a recorded file: \(error)")
    }
    guard let factor = Double(speed), factor > 0, factor.isFinite else {
      return UnknownSource(reason: "GODWIT_LOCATION_SPEED is \(speed); expected how many times faster than recorded, such as 60.")
    }
    return ReplaySource(path: address, pace: .factor(factor))
  }
}

/// A source without positions, for a machine that only receives beacons.
private struct NoReceiver: PositionSource {
  var isSimulated: Bool { false }

  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }
}

/// A source for an invalid configuration. It reports the error and no position.
private struct UnknownSource: PositionSource {
  let reason: String
  var isSimulated: Bool { false }

  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    await tell(.unavailable(reason))
    await tell(.finished)
  }
}
