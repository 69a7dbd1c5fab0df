internal import Foundation
internal import GodwitHTTP

/// The host name under which a browser finds a server that listens on all addresses.
enum ServerHost {
  /// Whether the server runs in a container, whose addresses other machines cannot reach.
  static var isContainer: Bool {
    ["/.dockerenv", "/run/.containerenv"].contains { FileManager.default.fileExists(atPath: $0) }
  }

  /// The machine's addresses in private networks, the preferred one first.
  static let addresses: @Sendable () -> [String] = { isContainer ? [] : LocalNetwork.addresses }

  /// Returns the machine's preferred private address, which phones can reach. With TLS (certificates contain names) or without a private
  /// network, returns the machine's name; in a container, whose name does not resolve elsewhere, `localhost` for the forwarding host.
  static func name(isSecure: Bool, _ addresses: () -> [String]) -> String {
    if !isSecure, let address = addresses().first { return address }
    return isContainer ? "localhost" : ProcessInfo.processInfo.hostName
  }
}
