import Foundation

/// A share of the tests, by what it needs beside this package.
///
/// The environment variable `GODWIT_TEST_GROUPS` names the groups of a run, with commas between them. A run without it tests
/// everything that the installed programs allow. `scripts/test` sets it.
public enum TestGroup: String, CaseIterable, Sendable {
  /// Needs nothing but this package and the libraries that it is built with.
  case quick
  /// Needs another server or program: PostgreSQL, an MQTT broker, gpsd, a message bus, nginx, openssl.
  case system
  /// Needs Chromium.
  case browser

  /// The groups that the environment names; nil where it names none.
  ///
  /// A misspelled group ends the process: it would leave out all tests and report success.
  static let named: Set<TestGroup>? = ProcessInfo.processInfo.environment["GODWIT_TEST_GROUPS"].map { list in
    Set(
      list.split(separator: ",").map { word in
        guard let group = TestGroup(rawValue: String(word)) else {
          // A run of the tests must not go on: see above.
          fatalError("GODWIT_TEST_GROUPS=\(list): \(word) is not quick, system or browser")
        }
        return group
      })
  }

  /// Whether this run includes the group.
  public var isRun: Bool { Self.named?.contains(self) ?? true }

  /// Whether the environment names this group, so that a missing program is a failure and no reason to skip.
  var isDemanded: Bool { Self.named?.contains(self) ?? false }
}
