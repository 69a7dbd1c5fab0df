package import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Tells systemd how a service of `Type=notify` is doing: a datagram to the socket that it names (sd_notify(3)).
///
/// Where the program does not run as a service nothing is told.
package struct ServiceNotifier: Sendable {
  /// The socket's path; one that begins with "@" is a name of Linux' abstract space.
  private let socket: String?
  /// Seconds without a word after which the program is ended and started anew; `nil`: it is not watched.
  package let patience: TimeInterval?

  /// - Parameters:
  ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are systemd's.
  ///   - process: this program's number.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()
  ) {
    let path = environment["NOTIFY_SOCKET"] ?? ""
    socket = path.hasPrefix("/") || path.hasPrefix("@") ? path : nil
    let isOurs = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    let microseconds = isOurs ? environment["WATCHDOG_USEC"].flatMap { Double($0) } : nil
    patience = microseconds.flatMap { $0 > 0 ? $0 / 1e6 : nil }
  }

  /// Requests are taken.
  /// - Parameter status: a line for `systemctl status`.
  package func ready(_ status: String) { send("READY=1\nSTATUS=\(status.replacing("\n", with: " "))") }

  /// What has arrived is stored and answered, and then it ends.
  package func stopping() { send("STOPPING=1\nSTATUS=Storing what has arrived") }

  /// It lives.
  package func alive() { send("WATCHDOG=1") }

  /// Says that it lives, twice as often as it must, as long as `check` comes back, until the task is cancelled.
  /// - Parameter check: what a program that hangs does not return from.
  package func watch(_ check: @Sendable () async -> Void) async {
    guard let patience else { return }
    while !Task.isCancelled {
      await check()
      alive()
      try? await Task.sleep(for: .seconds(patience / 2))
    }
  }

  /// What cannot be told is not: a service that sends nothing is started anew by its manager.
  private func send(_ text: String) {
    guard let socket else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(socket.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // A name of the abstract space has no end but its length.
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + path.count + (path[0] == 0 ? 0 : 1) } ?? 0
    #if canImport(Glibc)
      let kind = Int32(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    let handle = Self.open(AF_UNIX, kind)
    guard handle >= 0 else { return }
    defer { close(handle) }
    // A listener that does not listen must not hold up who stops.
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
