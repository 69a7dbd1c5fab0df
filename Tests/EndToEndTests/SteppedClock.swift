import Foundation
import GodwitHTTPClient
import TestClient
import Testing

/// The clock of a program that `libfaketime` sets forward and back while the program runs. The monotonic clock is not changed.
struct SteppedClock {
  private let folder: TemporaryFolder
  private let library: String

  /// A clock that shows the true time.
  /// - Throws: `Missing` if `libfaketime` is not installed.
  init() throws {
    folder = try TemporaryFolder()
    library = try Self.library()
    try set(seconds: 0)
  }

  private var file: URL { folder.url.appendingPathComponent("clock") }

  struct Missing: Error, CustomStringConvertible {
    let description = "libfaketime is missing; `scripts/bootstrap system` installs it (Debian's package faketime)."
  }

  private static func library() throws -> String {
    let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").filter { $0.contains("-linux-gnu") }
    let paths = (folders + ["."]).map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
    guard let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) else { throw Missing() }
    return path
  }

  /// The environment variables of the program. Its child processes have the same clock.
  var environment: [String: String] {
    [
      "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file.path, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    ]
  }

  /// Sets the clock.
  /// - Parameter seconds: the offset to the true time; negative: behind it.
  func set(seconds: Int) throws { try Data("\(seconds < 0 ? "" : "+")\(seconds)".utf8).write(to: file, options: .atomic) }

  /// Returns how many seconds the clock of a server is ahead of the true time, from the header `Date` of a response.
  /// - Parameter origin: scheme, host and port of the server.
  static func offset(of origin: String) async throws -> Int {
    let response = try await ask("GET", origin + "/healthz")
    let text = try #require(response.headers["date"], "\(response.headers)")
    let date = try #require(HTTPDate.date(text, now: Date()), "\(text)")
    return Int(date.timeIntervalSinceNow.rounded())
  }
}
