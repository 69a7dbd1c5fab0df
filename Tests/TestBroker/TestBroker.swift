public import Foundation
import Synchronization
import TestCluster

/// A mosquitto broker for tests, which runs as an unprivileged user and listens on a free port of 127.0.0.1. A script ends it when the
/// test process ends for any reason.
///
/// The broker writes each change to the disk, so that it can be killed.
public final class TestBroker: Sendable {
  public let port: UInt16
  /// The folder of its configuration and its log, which is deleted with the broker.
  public let folder: URL
  private let supervisor: Mutex<Supervisor>
  private let login: [String]

  /// The reason why there is no broker.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// The clients that may connect, and their authentication.
  public enum Authentication: Sendable {
    case anonymous
    /// Clients with a password: the user of the test clients, and other users.
    case login(user: String, password: String, others: [String: String] = [:])
    /// Clients over TLS. The broker has the server certificate of a ``TestAuthority``.
    case secure(TestAuthority, needsCertificate: Bool)
  }

  /// Starts a broker.
  /// - Parameters:
  ///   - authentication: the clients that may connect.
  ///   - more: additional lines of the configuration.
  ///   - rights: the access control list, in the format of mosquitto's `acl_file`; `nil`: no restrictions.
  public init(_ authentication: Authentication = .anonymous, _ more: [String] = [], rights: String? = nil) throws {
    let program = try Self.program("mosquitto")
    port = try TestCluster.freePort()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-broker-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var lines = [
      "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder.path)/", "autosave_on_changes true",
      "autosave_interval 1", "log_dest file \(folder.path)/log", "log_type all", "connection_messages true",
    ]
    switch authentication {
    case .anonymous:
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

  /// Ends the broker with SIGTERM, as a system shutdown does.
  public func stop() throws { try supervisor.withLock { try $0.notify("stop") } }
  /// Starts the broker again.
  public func start() throws { try supervisor.withLock { try $0.notify("start") } }

  /// The log of the broker.
  public var log: String {
    String(decoding: FileManager.default.contents(atPath: folder.appendingPathComponent("log").path) ?? Data(), as: UTF8.self)
  }

  // MARK: Clients

  /// Publishes with `mosquitto_pub`, and waits until the broker has the messages.
  /// - Parameters:
  ///   - messages: the messages, each without a line break.
  ///   - topic: the topic of the messages.
  ///   - quality: the quality of service: 0, 1 or 2.
  ///   - retain: whether the broker retains the message for later subscribers.
  public func publish(_ messages: [String], to topic: String, quality: Int = 1, retain: Bool = false) throws {
    let arguments = address + ["-t", topic, "-q", "\(quality)", "-l"] + (retain ? ["-r"] : [])
    try run(try Self.program("mosquitto_pub"), arguments, input: messages.map { $0 + "\n" }.joined())
  }

  public func publish(_ message: String, to topic: String, quality: Int = 1, retain: Bool = false) throws {
    try publish([message], to: topic, quality: quality, retain: retain)
  }

  /// Subscribes with `mosquitto_sub` in a persistent session, as an app does: the broker stores messages while the client is offline.
  /// - Parameters:
  ///   - topic: the topic filter, which may contain + and #.
  ///   - name: the name of the client.
  public func subscribe(to topic: String, as name: String) throws -> Listener {
    try Listener(try Self.program("mosquitto_sub"), address + ["-t", topic, "-q", "1", "-i", name, "-c", "-v"], folder)
  }

  private var address: [String] { ["-h", "localhost", "-p", "\(port)", "-V", "5"] + login }

  /// A client that receives published messages.
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

    /// The received messages: the topic, a blank and the message.
    public var received: [String] {
      String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }

    /// Ends the client. The broker stores later messages for it.
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
  // Files instead of pipes: a program that ends early does not break a pipe.
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

/// A certificate authority, created with openssl, that signs the certificates of a server at localhost and of a client.
public final class TestAuthority: Sendable {
  private let folder: URL

  /// The path of the certificate of the authority.
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

  /// Returns the path of a file of the authority.
  /// - Parameter name: the name of the file, such as `server.crt`, `client.crt` or `client.key`.
  public func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}

extension Supervisor {
  fileprivate init(program: URL, folder: String, port: UInt16) throws {
    let drop = getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : ""
    try self.init(Self.script, [program.path, folder, "\(port)", drop])
  }

  fileprivate func notify(_ command: String) throws {
    let response = try ask(command)
    guard response == "ready" else { throw TestBroker.Failure(description: "mosquitto cannot \(command): \(response)") }
  }

  /// Reads commands until the end of the input, which is the end of the test process.
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
