public import Foundation

/// An external program that tests start.
///
/// A test that needs one has the trait `.enabled(if: TestPart.broker.isRun, "\(TestPart.broker.reason)")`.
public enum TestPart: String, CaseIterable, Sendable {
  case postgres, citus, broker, bus, gpsd, nginx, openssl, socat, curl, faketime, systemd, schemathesis, lemonldap, spin, browser,
    axe

  /// The group of the tests that need the program.
  public var group: TestGroup { self == .browser || self == .axe ? .browser : .system }

  /// The name of the executable, and its Debian package.
  private var program: (name: String, package: String) {
    switch self {
    case .postgres: ("initdb", "postgresql")
    case .citus: ("citus.control", "none; the tests with Citus run with GODWIT_TEST_CITUS=1")
    case .broker: ("mosquitto", "mosquitto")
    case .bus: ("dbus-daemon", "dbus and python3-dbusmock")
    case .gpsd: ("gpsfake", "gpsd and gpsd-clients")
    case .nginx: ("nginx", "nginx")
    case .openssl: ("openssl", "openssl")
    case .socat: ("socat", "socat")
    case .curl: ("curl", "curl")
    case .faketime: ("faketime", "faketime")
    case .systemd: ("systemd-analyze", "systemd")
    case .schemathesis: ("schemathesis", "none; scripts/schemathesis installs it from PyPI")
    case .lemonldap: ("plackup", "liblemonldap-ng-portal-perl; scripts/lemonldap unpacks it")
    case .spin: ("spin", "spin and gcc")
    case .browser: ("chromium", "chromium")
    case .axe: ("axe.min.js", "none; scripts/axe installs it from PyPI")
    }
  }

  /// The path of the program; `nil` if it is not installed.
  public var file: URL? {
    let folders: [URL] =
      switch self {
      case .lemonldap: [Self.unpacked]
      case .citus: Self.extensions
      case .axe: [Self.package.appendingPathComponent(".build/axe")]
      default: Self.folders
      }
    return folders.map { $0.appendingPathComponent(program.name) }.first {
      // axe-core is a script for a page, and the extension is described by a text: neither is executable.
      self == .axe || self == .citus
        ? FileManager.default.isReadableFile(atPath: $0.path) : FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }

  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folder into which scripts/lemonldap unpacks.
  private static let unpacked = package.appendingPathComponent(".build/lemonldap/usr/bin")

  /// The versions in a folder of PostgreSQL, the newest first.
  private static func versions(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
  }

  /// The folders of the extensions of PostgreSQL.
  private static let extensions: [URL] = {
    let postgres = "/usr/share/postgresql"
    return versions(in: postgres).map { URL(fileURLWithPath: "\(postgres)/\($0)/extension") }
  }()

  private static let folders: [URL] = {
    let postgres = "/usr/lib/postgresql"
    let versions = Self.versions(in: postgres)
    return ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/snap/bin"].map { URL(fileURLWithPath: $0) }
      + versions.map { URL(fileURLWithPath: "\(postgres)/\($0)/bin") } + [
        package.appendingPathComponent(".build/schemathesis/bin")
      ]
  }()

  /// Whether the tests that need the program run.
  ///
  /// If the environment lists the group, a missing program is a failure of the test instead of a reason to skip it. The exceptions are
  /// schemathesis, which is installed from PyPI, and the OpenID provider, which a script unpacks.
  public var isRun: Bool {
    guard group.isRun, self != .citus || Self.isCitusDemanded else { return false }
    return file != nil || (group.isDemanded && self != .schemathesis && self != .lemonldap)
  }

  /// Whether the environment demands the tests with Citus, which take longer than all other system tests together. An installed extension
  /// is no reason to run them.
  private static let isCitusDemanded = ProcessInfo.processInfo.environment["GODWIT_TEST_CITUS"] == "1"

  /// The reason why the tests do not run.
  public var reason: String {
    group.isRun
      ? "\(program.name) is not installed (Debian: \(program.package))"
      : "\(program.name) is for the tests of `make test-\(group.rawValue)`"
  }
}
