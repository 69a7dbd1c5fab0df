internal import Foundation

/// The name by which a browser finds a server that listens at every address.
enum ServerHost {
  /// The machine's name; in a container, whose name is known nowhere else, the name of the machine that forwards a port to it.
  static var name: String {
    let isContainer = ["/.dockerenv", "/run/.containerenv"].contains { FileManager.default.fileExists(atPath: $0) }
    return isContainer ? "localhost" : ProcessInfo.processInfo.hostName
  }
}
