public import Foundation
import Synchronization
import TestCluster

/// A mosquitto of the tests' own, on a free port of 127.0.0.1, as a user without rights. A script keeps it, which ends it when the
/// test process ends, however that comes.
///
/// It keeps what it has on the disk at every change, so that it may be killed.
public final class TestBroker: Sendable {
  public let port: UInt16
  /// With its configuration and its log. Gone with the broker.
  public let folder: URL
  private let supervisor: Mutex<Supervisor>
  private let login: [String]

  /// Why there is no broker.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// The clients that may connect, and their authentication.
  public enum Entrance: Sendable {
    case anybody
    /// A user with a password, for the clients of the tests; and others.
    case login(user: String, password: String, others: [String: String] = [:])
    /// Over TLS, with the server's certificate of ``TestAuthority``.
    case secure(TestAuthority, needsCertificate: Bool)
  }

  /// Starts one.
  /// - Parameters:
  ///   - entrance: the clients that may connect.
  ///   - more: lines of the configuration.
  ///   - rights: the access control list, as mosquitto's `acl_file` has it; `nil`: no restrictions.
  public init(_ entrance: Entrance = .anybody, _ more: [String] = [], rights: String? = nil) throws {
    let program = try Self.program("mosquitto")
    port = try TestCluster.freePort()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-broker-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var lines = [
      "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder.path)/", "autosave_on_changes true",
      "autosave_interval 1", "log_dest file \(folder.path)/log", "log_type all", "connection_messages true",
    ]
    switch entrance {
    case .anybody:
      lines.append("allow_anonymous true")
      login = []
    case .login(let user, let password, let others):
      let file = folder.appendingPathComponent("passwords").path
      try run(try Self.program("mosquitto_passwd"), ["-b", "-c", file, user, password])
      for (user, password) in others { try run(try Self.program("mosquitto_passwd"), ["-b", file, user, password]) }
      lines += ["allow_anonymous false", "password_file \(file)"]
      login = ["-u", user, "-P", password]
    case .secure(let authority, let needsCertificate):
      lines += [
        "allow_anonymous true", "cafile \(authority.certificate)", "certfile \(authority.path("server.crt"))",
        "keyfile \(authority.path("server.key"))", "require_certificate \(needsCertificate)",
      ]
      login =
        ["--cafile", authority.certificate]
        + (needsCertificate ? ["--cert", authority.path("client.crt"), "--key", authority.path("client.key")] : [])
    }
    if let rights {
      let file = folder.appendingPathComponent("acl").path
      try rights.write(toFile: file, atomically: true, encoding: .utf8)
      lines.append("acl_file \(file)")
    }
    let configuration = folder.appendingPathComponent("mosquitto.conf").path
    try (lines + more).map { $0 + "\n" }.joined().write(toFile: configuration, atomically: true, encoding: .utf8)
    supervisor = Mutex(try Supervisor(program: program, folder: folder.path, port: port))
    try supervisor.withLock { try $0.notify("start") }
  }

  /// Ends it, as a system does that shuts down.
  public func stop() throws { try supervisor.withLock { try $0.notify("stop") } }
  /// Starts it again.
  public func start() throws { try supervisor.withLock { try $0.notify("start") } }

  /// What it wrote down.
  public var log: String {
    String(decoding: FileManager.default.contents(atPath: folder.appendingPathComponent("log").path) ?? Data(), as: UTF8.self)
  }

  // MARK: Clients

  /// Publishes with mosquitto's own client, and waits until the broker has it.
  /// - Parameters:
  ///   - messages: each on a line of its own.
  ///   - topic: where.
  ///   - quality: 0, 1 or 2.
  ///   - isKept: whether the broker retains it for later subscribers.
  public func publish(_ messages: [String], to topic: String, quality: Int = 1, isKept: Bool = false) throws {
    let arguments = address + ["-t", topic, "-q", "\(quality)", "-l"] + (isKept ? ["-r"] : [])
    try run(try Self.program("mosquitto_pub"), arguments, input: messages.map { $0 + "\n" }.joined())
  }

  public func publish(_ message: String, to topic: String, quality: Int = 1, isKept: Bool = false) throws {
    try publish([message], to: topic, quality: quality, isKept: isKept)
  }

  /// Subscribes with mosquitto's own client, as an app does: the broker keeps for it what comes while it is away.
  /// - Parameters:
  ///   - topic: may have + and # in it.
  ///   - name: of the client.
  public func subscribe(to topic: String, as name: String) throws -> Listener {
    try Listener(try Self.program("mosquitto_sub"), address + ["-t", topic, "-q", "1", "-i", name, "-c", "-v"], folder)
  }

  private var address: [String] { ["-h", "localhost", "-p", "\(port)", "-V", "5"] + login }

  /// A client that receives what is published.
  public final class Listener: Sendable {
    private let process: Mutex<ChildProcess?>
    private let file: URL

    init(_ program: URL, _ arguments: [String], _ folder: URL) throws {
      file = folder.appendingPathComponent("heard-\(UUID().uuidString)")
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      process = Mutex(try ChildProcess(program.path, arguments, output: handle.fileDescriptor))
      try handle.close()
    }

    deinit { stop() }

    /// Topic, a blank and the message, one a line.
    public var received: [String] {
      String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }

    /// Ends it; the broker goes on to keep what comes for it.
    public func stop() {
      process.withLock { process in
        process?.kill()
        process = nil
      }
    }
  }

  fileprivate static func program(_ name: String) throws -> URL {
    let found = ["/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else { throw Failure(description: "\(name) is not installed. Run: scripts/bootstrap system") }
    return URL(fileURLWithPath: found)
  }
}

/// Runs a program to its end.
private func run(_ program: URL, _ arguments: [String], input: String = "") throws {
  let name = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-run-\(UUID().uuidString)").path
  defer { for end in [".in", ".out"] { try? FileManager.default.removeItem(atPath: name + end) } }
  // Files and not pipes: a program that ends early breaks none.
  try Data(input.utf8).write(to: URL(fileURLWithPath: name + ".in"))
  try Data().write(to: URL(fileURLWithPath: name + ".out"))
  let handles = (
    try FileHandle(forReadingFrom: URL(fileURLWithPath: name + ".in")),
    try FileHandle(forWritingTo: URL(fileURLWithPath: name + ".out"))
  )
  let process = try ChildProcess(
    program.path, arguments, input: handles.0.fileDescriptor, error: handles.1.fileDescriptor)
  let status = process.wait()
  withExtendedLifetime(handles) {}
  guard status == 0 else {
    let said = String(decoding: FileManager.default.contents(atPath: name + ".out") ?? Data(), as: UTF8.self)
    throw TestBroker.Failure(description: "\(program.lastPathComponent): status \(status): \(said)")
  }
}

/// An authority that signs certificates, created with openssl: of a server at localhost, and of a client.
public final class TestAuthority: Sendable {
  private let folder: URL

  /// Its own certificate.
  public var certificate: String { path("ca.crt") }

  public init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-authority-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = #"""
      set -e
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=Test authority" \
        -keyout ca.key -out ca.crt
      sign() {
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -keyout "$1.key" -out "$1.csr"
        printf 'subjectAltName = DNS:%s\n' "$2" >"$1.ext"
        openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile "$1.ext" -out "$1.crt"
      }
      sign server localhost
      sign client godwit
      chmod a+r ./*
      """#
    try run(URL(fileURLWithPath: "/bin/bash"), ["-c", "cd '\(folder.path)' && { \(script)\n} 2>/dev/null"])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A file of its: `server.crt`, `client.crt`, `client.key`.
  /// - Parameter name: of the file.
  public func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}

extension Supervisor {
  fileprivate init(program: URL, folder: String, port: UInt16) throws {
    let drop = getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : ""
    try self.init(Self.script, [program.path, folder, "\(port)", drop])
  }

  fileprivate func notify(_ command: String) throws {
    let response = try ask(command)
    guard response == "ready" else { throw TestBroker.Failure(description: "mosquitto, told to \(command): \(response)") }
  }

  /// Reads commands until there are no more, which is when the test process has ended.
  private static let script = #"""
    program=$1 folder=$2 port=$3 drop=$4
    trap '' INT HUP TERM PIPE
    if [ -n "$drop" ]; then chown -R nobody:nogroup "$folder"; fi
    start() {
      $drop "$program" -c "$folder/mosquitto.conf" >"$folder/start.log" 2>&1 </dev/null &
      broker=$!
      for _ in $(seq 600); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then echo ready; return; fi
        kill -0 "$broker" 2>/dev/null || break
        sleep 0.05
      done
      cat "$folder/start.log" "$folder/log" | tr '\n' ' '; echo
    }
    stop() {
      kill -TERM "$broker" 2>/dev/null
      wait "$broker" 2>/dev/null
      broker=
    }
    while read -r command; do
      case $command in
        start) start ;;
        stop) stop; echo ready ;;
      esac
    done
    # The test process has ended. Its runner waits until nothing holds its output.
    exec >/dev/null 2>&1
    if [ -n "$broker" ]; then stop; fi
    rm -rf "$folder"
    """#
}
