internal import Foundation
internal import GodwitModel

/// Positions from gpsd, the daemon for receivers, over TCP (`?WATCH`, JSON). When the connection ends, it is established again
/// after 1 s, then 2 s, … 30 s. When a receiver is plugged in again, its reports are requested again.
///
/// Of several receivers the best one is used: one with an altitude, then the one with the smallest error. Another receiver is
/// used when it has been better for five seconds, or at once when the present one has lost its fix. gpsd may report the same time
/// several times; the first report is used.
public final class GpsdSource: PositionSource {
  public let host: String
  public let port: UInt16
  /// The device name of the receiver in gpsd: `/dev/ttyUSB0`. `nil`: the best receiver.
  public let device: String?
  private let wait: @Sendable (Double) async throws -> Void
  /// Seconds on a clock that is never set.
  private let uptime: @Sendable () -> Double

  /// - Parameters:
  ///   - host: the name or address of the machine with gpsd.
  ///   - port: the port of gpsd.
  ///   - device: the device name of the receiver in gpsd; `nil`: the best receiver.
  public convenience init(host: String, port: UInt16 = 2947, device: String? = nil) {
    self.init(host: host, port: port, device: device) { try await Task.sleep(for: .seconds($0)) }
  }

  /// - Parameters:
  ///   - wait: suspends for a number of seconds before the next attempt.
  ///   - uptime: seconds on a clock that is never set.
  init(
    host: String, port: UInt16, device: String?, wait: @escaping @Sendable (Double) async throws -> Void,
    uptime: @escaping @Sendable () -> Double = { ProcessInfo.processInfo.systemUptime }
  ) {
    self.host = host
    self.port = port
    self.device = device
    self.wait = wait
    self.uptime = uptime
  }

  /// Reads `gpsd://HOST` or `gpsd://HOST:PORT`, with or without a receiver: `gpsd://HOST:PORT/dev/ttyUSB0`. `nil` for any other
  /// text.
  public convenience init?(address: String) {
    guard let parts = URLComponents(string: address), parts.scheme == "gpsd", let host = parts.host, !host.isEmpty,
      let port = UInt16(exactly: parts.port ?? 2947)
    else { return nil }
    let device: String? = ["", "/"].contains(parts.path) ? nil : parts.path
    if let device, !device.hasPrefix("/dev/") || device.hasSuffix("/") { return nil }
    self.init(host: host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port: port, device: device)
  }

  public var isSimulated: Bool { false }

  /// Whether gpsd runs on this machine.
  package var isHere: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  public func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    var failures = 0
    var reader = GpsdReader(device: device)
    var reported: String?
    while true {
      try Task.checkCancellation()
      var problem = "gpsd at \(host):\(port) closed the connection. Trying again."
      let connection = GpsdConnection(host: host, port: port)
      let begun = uptime()
      do {
        for try await chunk in connection.bytes() {
          for event in reader.feed(chunk) {
            if case .positions = event {
              failures = 0
              reported = nil
            }
            await tell(event)
          }
          if let event = reader.lasted(uptime() - begun, at: "\(host):\(port)") { await tell(event) }
          if reader.takeWatch() { connection.watch() }
        }
      } catch let error as GpsdConnection.Failure {
        problem =
          "gpsd at \(host):\(port): \(error.reason). Is it running? Install it (Debian and Ubuntu: apt install gpsd) and start it "
          + "(systemctl enable --now gpsd.socket). Trying again."
      }
      try Task.checkCancellation()
      if problem != reported { await tell(.unavailable(problem)) }
      reported = problem
      reader.disconnected()
      failures += 1
      try await wait(ExponentialBackoff.reconnecting.pause(after: failures))
    }
  }
}
