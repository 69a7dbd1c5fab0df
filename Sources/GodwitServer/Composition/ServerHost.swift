internal import Foundation
internal import GodwitHTTP

/// The host name under which a browser finds a server that listens on all addresses.
enum ServerHost {
  /// Whether the server runs in a container, whose own addresses are of no use to others.
  static var isContainer: Bool {
    ["/.dockerenv", "/run/.containerenv"].contains { FileManager.default.fileExists(atPath: $0) }
  }

  /// The machine's addresses in private networks, the preferred one first.
  static let addresses: @Sendable () -> [String] = { isContainer ? [] : LocalNetwork.addresses }

  /// The machine's address in its network, which phones find; with TLS, whose certificates have names, and without a network the machine's
  /// name. In a container, whose name does not resolve elsewhere, the name of the forwarding host.
  static func name(isSecure: Bool, _ addresses: () -> [String]) -> String {
    if !isSecure, let address = addresses().first { return address }
    return isContainer ? "localhost" : ProcessInfo.processInfo.hostName
  }
}
