internal import Foundation

/// The browser of the desktop.
package enum Browser {
  #if os(macOS)
    private static let program = "/usr/bin/open"
  #else
    private static let program = "/usr/bin/xdg-open"
  #endif

  /// Whether a desktop is available.
  package static var isAvailable: Bool {
    #if !os(macOS)
      let environment = ProcessInfo.processInfo.environment
      guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return false }
    #endif
    return FileManager.default.isExecutableFile(atPath: program)
  }

  /// Opens an address in the browser. Does nothing without a desktop.
  package static func open(_ address: String) {
    guard isAvailable else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [address]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    // An error is ignored, because the address was printed as well.
    _ = try? process.run()
  }
}
