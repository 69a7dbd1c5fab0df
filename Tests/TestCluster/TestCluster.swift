public import Foundation
import Synchronization

/// A PostgreSQL server for tests, with the durability settings of production. It has its own folder, runs as an unprivileged user, and
/// listens on a free port of 127.0.0.1 and on a socket. A script ends it when the test process ends for any reason.
public final class TestCluster: Sendable {
  /// The server for all tests of a process that do not stop it. Its pages have no checksums, so that the stores have hashes of the points.
  public static func shared() throws -> TestCluster { try sharedCluster.get() }
  private static let sharedCluster = Result { try TestCluster(hasChecksums: false) }

  /// The port of the server on 127.0.0.1.
  public let port: UInt16
  /// The folder of the data and of the socket.
  public let folder: URL
  private let supervisor: Mutex<Supervisor>
  private let made = Atomic<Int>(0)

  public static let user = "godwit"
  /// Contains characters that must be percent-encoded in an address.
  public static let password = "sesame/@?1"

  /// The reason why there is no server.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Starts a separate server.
  /// - Parameters:
  ///   - primary: the primary of the new standby, which is created from a base backup; `nil`: the server is not a standby.
  ///   - hasChecksums: whether the pages have checksums; a standby has the setting of its primary.
  public convenience init(standbyOf primary: TestCluster? = nil, hasChecksums: Bool = true) throws {
    try self.init(standbyOf: primary, extension: nil, hasChecksums: hasChecksums)
  }

  /// - Parameter extension: an extension that the server loads at the start; sessions between servers then need no password.
  init(standbyOf primary: TestCluster?, extension: String?, hasChecksums: Bool = true) throws {
    let programs = try Self.programs()
    port = try Self.freePort()
    // A short path, because the path of a socket is limited to 107 bytes.
    let folder = URL(fileURLWithPath: "/tmp/godwit-pg-\(UUID().uuidString.prefix(8))")
    self.folder = folder
    let supervisor = try Supervisor(
      programs: programs, folder: folder.path, port: port, primary: primary, extension: `extension`, hasChecksums: hasChecksums)
    try supervisor.expectReady()
    self.supervisor = Mutex(supervisor)
  }

  /// Kills all processes of the server with SIGKILL.
  public func kill() throws { try supervisor.withLock { try $0.notify("kill") } }
  /// Starts the server again.
  public func start() throws { try supervisor.withLock { try $0.notify("start") } }
  /// Suspends all processes of the server: connections are accepted, but get no response.
  public func freeze() throws { try supervisor.withLock { try $0.notify("freeze") } }
  /// Resumes all processes of the server.
  public func thaw() throws { try supervisor.withLock { try $0.notify("thaw") } }

  /// Shuts the server down, adds checksums to its pages, and starts it again.
  public func addChecksums() throws { try supervisor.withLock { try $0.notify("checksums") } }

  /// Sends a command to the script, and waits until it is done.
  func notify(_ command: String) throws { try supervisor.withLock { try $0.notify(command) } }

  /// Creates an empty database.
  /// - Parameter encoding: the encoding of its texts.
  /// - Returns: the name of the database.
  func makeDatabase(encoding: String) throws -> String {
    let name = nextName()
    try makeDatabase(named: name, encoding: encoding)
    return name
  }

  /// Copies a database.
  /// - Returns: the name of the copy.
  func makeDatabase(copyOf original: String) throws -> String {
    let name = nextName()
    try sql("CREATE DATABASE \(name) TEMPLATE \(original)", in: "postgres")
    return name
  }

  private func nextName() -> String { "test\(made.add(1, ordering: .relaxed).newValue)" }

  func makeDatabase(named name: String, encoding: String) throws {
    try sql("CREATE DATABASE \(name) ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0", in: "postgres")
  }

  /// Runs statements with `psql`.
  /// - Parameters:
  ///   - statements: the statements, each in its own transaction.
  ///   - database: the name of the database.
  /// - Returns: the rows, one per line, with "|" between the columns.
  @discardableResult
  public func sql(_ statements: String, in database: String) throws -> String {
    let response = try supervisor.withLock { try $0.ask("sql \(database) \(Data(statements.utf8).base64EncodedString())") }
    let words = response.split(separator: " ")
    let text = words.dropFirst().first.flatMap { Data(base64Encoded: String($0)) } ?? Data()
    guard words.first == "done" else { throw Failure(description: "psql: \(String(decoding: text, as: UTF8.self))") }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// Returns the address of a database over 127.0.0.1, with the password.
  public func address(of database: String) -> String { Self.address(of: database, on: [self]) }

  /// Returns the address of a database that is on several servers, with the password.
  public static func address(of database: String, on clusters: [TestCluster]) -> String {
    let secret = password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let servers = clusters.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
    return "postgres://\(user):\(secret)@\(servers)/\(database)"
  }

  /// Returns the address of a database over the socket, which needs no password.
  public func socketAddress(of database: String) -> String {
    "postgres://\(Self.user)@/\(database)?host=\(folder.path)&port=\(port)"
  }

  private static func programs() throws -> URL {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let folders =
      versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" } + ["/usr/bin", "/usr/local/bin"]
    guard let found = folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else {
      throw Failure(description: "PostgreSQL is not installed. Run: scripts/bootstrap system")
    }
    return URL(fileURLWithPath: found)
  }
}

/// An empty database in a server for tests. It is removed with the server, because `DROP DATABASE` makes the server write all its memory
/// to the disk.
public struct TestDatabase: Sendable {
  public let cluster: TestCluster
  public let name: String

  /// - Parameters:
  ///   - cluster: the server; `nil`: the shared server.
  ///   - encoding: the encoding of the texts.
  public init(in cluster: TestCluster? = nil, encoding: String = "UTF8") throws {
    self.cluster = try cluster ?? TestCluster.shared()
    name = try self.cluster.makeDatabase(encoding: encoding)
  }

  /// Copies a database to which no session is connected.
  public init(copyOf original: TestDatabase) throws {
    cluster = original.cluster
    name = try cluster.makeDatabase(copyOf: original.name)
  }

  init(named name: String, in cluster: TestCluster) { (self.name, self.cluster) = (name, cluster) }

  /// The address with the password.
  public var address: String { cluster.address(of: name) }

  /// Runs statements in the database with `psql`.
  public func sql(_ statements: String) throws -> String { try cluster.sql(statements, in: name) }
}

extension Supervisor {
  fileprivate init(
    programs: URL, folder: String, port: UInt16, primary: TestCluster?, extension: String?, hasChecksums: Bool
  ) throws {
    // PostgreSQL does not run as root.
    let drop =
      (`extension`.map { ["EXTENSION=\($0)"] } ?? []) + ["CHECKSUMS=\(hasChecksums ? "--data-checksums" : "")"]
      + (getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [])
    try self.init(
      Self.script, [programs.path, folder, "\(port)", TestCluster.user, TestCluster.password] + (primary?.place ?? []), drop: drop
    )
  }

  fileprivate func notify(_ command: String) throws { try Self.expectReady(ask(command)) }

  /// Waits until the server accepts connections.
  fileprivate func expectReady() throws { try Self.expectReady(line()) }

  /// Any other line than "ready" is the reason of the failure.
  private static func expectReady(_ line: String) throws {
    guard line == "ready" else { throw TestCluster.Failure(description: "PostgreSQL does not start: \(line)") }
  }

  /// Reads commands until the end of the input, which is the end of the test process.
  private static let script = #"""
    set -o pipefail
    bin=$1 folder=$2 port=$3 user=$4 name=node_$3
    trap '' INT HUP TERM PIPE
    everyone() {
      local first
      first=$(head -1 "$folder/data/postmaster.pid")
      echo "$first" $(ps -o pid= --ppid "$first")
    }
    start() {
      "$bin/pg_ctl" -D "$folder/data" -w -t 60 -l "$folder/log" start >"$folder/start.log" 2>&1 </dev/null
    }
    say() {
      if "$@"; then echo ready; else tr '\n' ' ' <"$folder/start.log"; tail -5 "$folder/log" | tr '\n' ' '; echo; fi
    }
    # At the end of the file, so that they also apply in a copy of the file of another server.
    settings() {
      cat >>"$folder/data/postgresql.conf" <<END
    listen_addresses = '127.0.0.1'
    port = $port
    unix_socket_directories = '$folder'
    shared_buffers = 64MB
    max_connections = 400
    wal_keep_size = 1GB
    # Tests end servers with SIGKILL, which keeps the kernel's page cache.
    fsync = off
    END
      if [ -n "${EXTENSION:-}" ]; then
        cat >>"$folder/data/postgresql.conf" <<END
    shared_preload_libraries = '$EXTENSION'
    # Servers of several tests run at once, and each connection to the coordinator opens some to the workers.
    max_connections = 1000
    max_prepared_transactions = 1000
    max_worker_processes = 200
    citus.node_conninfo = 'sslmode=disable'
    citus.recover_2pc_interval = 1s
    citus.node_connection_timeout = 3s
    END
      fi
    }
    make() {
      mkdir -m 700 "$folder" && printf '%s' "$5" >"$folder/secret" || return
      if [ $# -gt 5 ]; then
        "$bin/pg_basebackup" -d "$(upstream "$6" "$7")" -D "$folder/data" -R -c fast >"$folder/start.log" 2>&1 || return
      else
        "$bin/initdb" --no-sync ${CHECKSUMS:-} -D "$folder/data" -U "$user" -E UTF8 --locale=C --auth-local=trust \
          --auth-host="$([ -n "${EXTENSION:-}" ] && echo trust || echo scram-sha-256)" --pwfile="$folder/secret" >"$folder/start.log" 2>&1 || return
      fi
      settings && start
    }
    # upstream FOLDER PORT: the connection of a standby to its primary.
    upstream() { echo "host=$1 port=$2 user=$user application_name=$name"; }
    rewind() {
      "$bin/pg_rewind" -D "$folder/data" -R --source-server="$(upstream "$1" "$2") dbname=postgres" >"$folder/start.log" 2>&1 &&
        settings && start
    }
    checksums() {
      "$bin/pg_ctl" -D "$folder/data" -w -t 60 -m fast stop >"$folder/start.log" 2>&1 &&
        "$bin/pg_checksums" --no-sync --enable -D "$folder/data" >"$folder/start.log" 2>&1 && start
    }
    promote() { "$bin/pg_ctl" -D "$folder/data" -w -t 60 promote >"$folder/start.log" 2>&1; }
    say make "$@"
    while read -r command database statements; do
      case $command in
        sql)
          said=done
          base64 -d <<<"$statements" |
            "$bin/psql" -XAtq -v ON_ERROR_STOP=1 -h "$folder" -p "$port" -U "$user" -d "$database" -f - \
              >"$folder/output" 2>&1 || said=failed
          echo "$said $(base64 -w 0 "$folder/output")"
          ;;
        kill) kill -KILL $(everyone); echo ready ;;
        freeze) kill -STOP $(everyone); echo ready ;;
        promote) say promote ;;
        checksums) say checksums ;;
        rewind) say rewind "$database" "$statements" ;;
        thaw) kill -CONT $(everyone); echo ready ;;
        start)
          # Processes of earlier connections may need a moment to end.
          for _ in 1 2 3 4 5 6 7 8 9 10; do start && break; sleep 0.5; done
          say "$bin/pg_isready" -q -h "$folder" -p "$port" ;;
      esac
    done
    # The test process has ended. Its runner waits until nothing holds its output.
    exec >/dev/null 2>&1
    kill -CONT $(everyone) 2>/dev/null
    "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1
    rm -rf "$folder"
    """#
}
