public import Foundation
import Synchronization

/// A PostgreSQL server of the tests' own, with the settings of production as far as durability goes: in a folder of its own, as a
/// user without rights, on a free port of 127.0.0.1 and on a socket. A script keeps it, which ends it when the test process
/// ends, however that comes.
public final class TestCluster: Sendable {
  /// For all tests of a process that do not stop it. Its pages have no checksums, so that the stores have hashes of the points.
  public static func shared() throws -> TestCluster { try sharedCluster.get() }
  private static let sharedCluster = Result { try TestCluster(hasChecksums: false) }

  /// Where the server listens on 127.0.0.1.
  public let port: UInt16
  /// Where its socket is.
  public let folder: URL
  private let supervisor: Mutex<Supervisor>
  private let made = Atomic<Int>(0)

  public static let user = "godwit"
  /// With what an address must not have unwritten.
  public static let password = "sesame/@?1"

  /// Why there is no server.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Starts a separate one.
  /// - Parameters:
  ///   - primary: of which it is a standby, made of a base backup; `nil`: of none.
  ///   - hasChecksums: whether its pages have checksums; a standby has its primary's.
  public convenience init(standbyOf primary: TestCluster? = nil, hasChecksums: Bool = true) throws {
    try self.init(standbyOf: primary, extension: nil, hasChecksums: hasChecksums)
  }

  /// - Parameter extension: that the server loads when it starts; its own sessions need no password then.
  init(standbyOf primary: TestCluster?, extension: String?, hasChecksums: Bool = true) throws {
    let programs = try Self.programs()
    port = try Self.freePort()
    // A short name: that of a socket may have 107 bytes.
    let folder = URL(fileURLWithPath: "/tmp/godwit-pg-\(UUID().uuidString.prefix(8))")
    self.folder = folder
    let supervisor = try Supervisor(
      programs: programs, folder: folder.path, port: port, primary: primary, extension: `extension`, hasChecksums: hasChecksums)
    try supervisor.expectReady()
    self.supervisor = Mutex(supervisor)
  }

  /// Ends every process of the server at once, as a power cut would.
  public func kill() throws { try supervisor.withLock { try $0.notify("kill") } }
  /// Starts it again.
  public func start() throws { try supervisor.withLock { try $0.notify("start") } }
  /// Holds every process of the server, so that it takes connections and answers nothing.
  public func freeze() throws { try supervisor.withLock { try $0.notify("freeze") } }
  /// Lets them go on.
  public func thaw() throws { try supervisor.withLock { try $0.notify("thaw") } }

  /// Stops the server properly, gives its pages checksums, and starts it again.
  public func addChecksums() throws { try supervisor.withLock { try $0.notify("checksums") } }

  /// Has a command done.
  func notify(_ command: String) throws { try supervisor.withLock { try $0.notify(command) } }

  /// Makes an empty database.
  /// - Parameter encoding: of its texts.
  /// - Returns: its name.
  func makeDatabase(encoding: String) throws -> String {
    let name = "test\(made.add(1, ordering: .relaxed).newValue)"
    try makeDatabase(named: name, encoding: encoding)
    return name
  }

  func makeDatabase(named name: String, encoding: String) throws {
    try sql("CREATE DATABASE \(name) ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0", in: "postgres")
  }

  /// Runs statements with PostgreSQL's own client.
  /// - Parameters:
  ///   - statements: each a transaction of its own.
  ///   - database: in which.
  /// - Returns: the rows, one a line, the columns between "|".
  @discardableResult
  public func sql(_ statements: String, in database: String) throws -> String {
    let response = try supervisor.withLock { try $0.ask("sql \(database) \(Data(statements.utf8).base64EncodedString())") }
    let words = response.split(separator: " ")
    let text = words.dropFirst().first.flatMap { Data(base64Encoded: String($0)) } ?? Data()
    guard words.first == "done" else { throw Failure(description: "psql: \(String(decoding: text, as: UTF8.self))") }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// The address over 127.0.0.1, with the password.
  public func address(of database: String) -> String { Self.address(of: database, on: [self]) }

  /// The same, of a database that is on several servers.
  public static func address(of database: String, on clusters: [TestCluster]) -> String {
    let secret = password.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let servers = clusters.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
    return "postgres://\(user):\(secret)@\(servers)/\(database)"
  }

  /// The address over the socket, which needs no password.
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

/// An empty database in the tests' server. It is gone with the server: to remove one has the server write all to the disk that it
/// has in memory.
public struct TestDatabase: Sendable {
  public let cluster: TestCluster
  public let name: String

  /// - Parameters:
  ///   - cluster: `nil`: the one of all tests.
  ///   - encoding: of its texts.
  public init(in cluster: TestCluster? = nil, encoding: String = "UTF8") throws {
    self.cluster = try cluster ?? TestCluster.shared()
    name = try self.cluster.makeDatabase(encoding: encoding)
  }

  init(named name: String, in cluster: TestCluster) { (self.name, self.cluster) = (name, cluster) }

  /// With the password.
  public var address: String { cluster.address(of: name) }

  /// Runs statements in it with PostgreSQL's own client.
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

  /// Waits until the server is there.
  fileprivate func expectReady() throws { try Self.expectReady(line()) }

  /// Anything else than "ready" is why it is not.
  private static func expectReady(_ line: String) throws {
    guard line == "ready" else { throw TestCluster.Failure(description: "PostgreSQL does not start: \(line)") }
  }

  /// Reads commands until there are no more, which is when the test process has ended.
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
    # At the end of the file, so that they hold also in a copy of another server's.
    settings() {
      cat >>"$folder/data/postgresql.conf" <<END
    listen_addresses = '127.0.0.1'
    port = $port
    unix_socket_directories = '$folder'
    shared_buffers = 64MB
    max_connections = 400
    wal_keep_size = 1GB
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
    # upstream FOLDER PORT: where a standby gets the log of its primary, and under which name.
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
          # Who was connected may need a moment to be gone.
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
