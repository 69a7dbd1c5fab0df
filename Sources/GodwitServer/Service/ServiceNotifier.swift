package import Foundation
package import GodwitServices

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Notifies systemd about a service of `Type=notify`: a datagram to systemd's socket (sd_notify(3)).
///
/// Outside of a service it does nothing.
package struct ServiceNotifier: Sendable {
  /// The socket's path; a leading "@" means Linux's abstract namespace.
  private let socket: String?
  /// Watchdog timeout in seconds: systemd restarts the service after that time without a message; `nil`: no watchdog.
  package let timeout: TimeInterval?

  /// - Parameters:
  ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are systemd's.
  ///   - process: the process id of this program.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()
  ) {
    let path = environment["NOTIFY_SOCKET"] ?? ""
    socket = path.hasPrefix("/") || path.hasPrefix("@") ? path : nil
    let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    let microseconds = isOurs ? environment["WATCHDOG_USEC"].flatMap { Double($0) } : nil
    timeout = microseconds.flatMap { $0 > 0 ? $0 / 1e6 : nil }
  }

  /// Notifies that the service accepts requests.
  /// - Parameter status: a line for `systemctl status`.
  package func ready(_ status: String) { send("READY=1\nSTATUS=\(status.replacing("\n", with: " "))") }

  /// Notifies that the service is stopping: pending records are stored and answered.
  package func stopping() { send("STOPPING=1\nSTATUS=Storing what has arrived") }

  /// Sends the watchdog's keep-alive.
  package func alive() { send("WATCHDOG=1") }

  /// Sends the keep-alive twice per watchdog interval, as long as `check` returns, until the task is cancelled.
  /// - Parameters:
  ///   - clock: decides when the next one is due.
  ///   - check: an operation that does not return if the program hangs.
  package func watch(clock: ServerClock = .system, _ check: @Sendable () async -> Void) async {
    guard let timeout else { return }
    while !Task.isCancelled {
      await check()
      alive()
      try? await clock.sleep(for: .seconds(timeout / 2))
    }
  }

  /// Sends a message; errors are ignored, because systemd restarts a service whose messages stop.
  private func send(_ text: String) {
    guard let socket else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(socket.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // A name in the abstract namespace is bounded by its length, not by a NUL.
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + path.count + (path[0] == 0 ? 0 : 1) } ?? 0
    #if canImport(Glibc)
      let kind = Int32(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    let handle = Self.open(AF_UNIX, kind)
    guard handle >= 0 else { return }
    defer { close(handle) }
    // A socket that is not read must not block the shutdown.
    guard fcntl(handle, F_SETFL, O_NONBLOCK) == 0 else { return }
    let bytes = Array(text.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(handle, bytes, bytes.count, 0, $0, socklen_t(length))
      }
    }
  }

  private static func open(_ family: Int32, _ kind: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.socket(family, kind, 0)
    #else
      Darwin.socket(family, kind, 0)
    #endif
  }
}
