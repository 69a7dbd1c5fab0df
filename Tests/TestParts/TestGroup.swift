import Foundation

/// A group of tests, by their requirements outside this package.
///
/// The environment variable `GODWIT_TEST_GROUPS` lists the groups of a run, separated by commas. Without it, all tests run whose programs
/// are installed. `scripts/test` sets the variable.
public enum TestGroup: String, CaseIterable, Sendable {
  /// Needs only this package and its libraries.
  case quick
  /// Needs another server or program: PostgreSQL, an MQTT broker, gpsd, a message bus, nginx, openssl.
  case system
  /// Needs Chromium.
  case browser

  /// The groups in the environment; `nil` if the variable is not set.
  ///
  /// A misspelled group ends the process, because the run would skip all tests and report success.
  static let named: Set<TestGroup>? = ProcessInfo.processInfo.environment["GODWIT_TEST_GROUPS"].map { list in
    Set(
      list.split(separator: ",").map { word in
        guard let group = TestGroup(rawValue: String(word)) else {
          // The run must not continue; see above.
          fatalError("GODWIT_TEST_GROUPS=\(list): \(word) is not quick, system or browser")
        }
        return group
      })
  }

  /// Whether this run includes the group.
  public var isRun: Bool { Self.named?.contains(self) ?? true }

  /// Whether the environment lists this group. A missing program is then a failure instead of a reason to skip tests.
  var isDemanded: Bool { Self.named?.contains(self) ?? false }
}
