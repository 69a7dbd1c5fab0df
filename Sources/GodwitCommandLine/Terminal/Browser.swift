internal import Foundation

/// The desktop's browser.
package enum Browser {
  #if os(macOS)
    private static let program = "/usr/bin/open"
  #else
    private static let program = "/usr/bin/xdg-open"
  #endif

  /// There is a desktop.
  package static var isThere: Bool {
    #if !os(macOS)
      let environment = ProcessInfo.processInfo.environment
      guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return false }
    #endif
    return FileManager.default.isExecutableFile(atPath: program)
  }

  /// Opens an address, where there is a desktop; says nothing where there is none.
  package static func open(_ address: String) {
    guard isThere else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [address]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    // The address was printed: opening it is a courtesy.
    _ = try? process.run()
  }
}
