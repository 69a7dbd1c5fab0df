internal import Foundation

/// The host name under which a browser finds a server that listens on all addresses.
enum ServerHost {
  /// The machine's name. In a container, whose name does not resolve elsewhere, the name of the forwarding host.
  static var name: String {
    let isContainer = ["/.dockerenv", "/run/.containerenv"].contains { FileManager.default.fileExists(atPath: $0) }
    return isContainer ? "localhost" : ProcessInfo.processInfo.hostName
  }
}
