internal import Foundation
package import GodwitReceivers

/// What an address of a receiver on this machine or elsewhere names: `gpsd://HOST:PORT/DEVICE` or `geoclue:`; or
/// none, `none:`. In the environment of a program it may be a recorded file as well.
package enum Receivers {
  /// What an address looks like, for people.
  package static let expected = "gpsd://HOST, gpsd://HOST:PORT, gpsd://HOST:PORT/dev/DEVICE, geoclue: or none:"

  /// Whether it is meant to be the address of a receiver, right or wrong; everything else is the name of a file.
  package static func isMeant(by text: String) -> Bool {
    ["gpsd:", "geoclue:", "none:"].contains { text.hasPrefix($0) }
  }

  /// `nil` when it is none.
  package static func source(_ address: String) -> (any PositionSource)? {
    switch address {
    case "geoclue:": GeoClueSource()
    case "none:": NoReceiver()
    default: GpsdSource(address: address)
    }
  }

  /// The one that an environment names in `GODWIT_LOCATION_SOURCE`, or gpsd on this machine.
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

/// For a machine without positions, which may receive beacons.
private struct NoReceiver: PositionSource {
  var isSimulated: Bool { false }

  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }
}

/// Stands for an unknown source: it reports the error and no position.
private struct UnknownSource: PositionSource {
  let reason: String
  var isSimulated: Bool { false }

  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    await tell(.unavailable(reason))
    await tell(.finished)
  }
}
