import Foundation
import GodwitServer
import GodwitStore

/// The server on PostgreSQL under load by wrk. Every response is sent after a durable commit.
enum PostgresBenchmarks {
  static func load(in folder: URL) throws -> [Measurement] {
    guard let wrk = Programs.find("wrk"), let cluster = try PostgresServer() else {
      FileHandle.standardError.write(
        Data("wrk or PostgreSQL is not installed (Debian: apt install wrk postgresql): no benchmarks of it\n".utf8))
      return []
    }
    let environment = ["GODWIT_STORE": cluster.address]
    let server = try Server(in: folder, environment: environment)
    let tokens = try (0..<64).map { number in
      try Programs.addDevice("device \(number)", data: server.folder, environment: environment)
    }
    // Hours in the past: there is no partition for the future.
    let hour = Int(Date().timeIntervalSince1970 / 3600)
    func run(batch: Int, hour: Int) throws -> [String: Double] {
      try Programs.load(
        wrk, "devices", port: server.port, seconds: 15,
        ["TOKENS": tokens.joined(separator: ","), "BATCH": "\(batch)", "HOUR": "\(hour)"])
    }
    let single = try run(batch: 1, hour: hour - 40_000)
    let batches = try run(batch: 200, hour: hour - 4_000)
    server.end()
    return [
      Measurement(
        name: "server on PostgreSQL, batches of 200 over 64 connections, durable", value: batches["records_per_second"] ?? 0,
        unit: "points/s", goal: 120_000),
      Measurement(
        name: "server on PostgreSQL, single-point requests over 64 connections, durable",
        value: single["requests_per_second"] ?? 0, unit: "requests/s"),
    ] + (try sealing(cluster, in: server.folder))
  }

  /// Moves all points into blocks.
  private static func sealing(_ cluster: PostgresServer, in folder: URL) throws -> [Measurement] {
    guard let address = ListenAddress("127.0.0.1:0") else { return [] }
    // The bytes of tables with their indexes.
    func size(_ names: String) throws -> Int {
      let sum = try cluster.query(
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relkind = 'r' AND relname ~ '\(names)'")
      return Int(sum) ?? 0
    }
    let rows = try size("^points")
    var configuration = GodwitServer.Server.Configuration(listen: address, dataFolder: folder.path)
    configuration.store = try StoreLocation(cluster.address)
    let server = try GodwitServer.Server(configuration: configuration)
    let began = ContinuousClock.now
    let sealed = try server.compressPoints(olderThan: 0)
    let seconds = Double((ContinuousClock.now - began) / .milliseconds(1)) / 1000
    LocalServer(server).close()
    let blocks = try size("^point_blocks$")
    return [
      Measurement(
        name: "PostgreSQL, \(sealed) points with every field of Overland's in blocks",
        value: Double(blocks) / Double(max(1, sealed)), unit: "bytes a point", goal: 20, lowerIsBetter: true,
        comparedTo: "as rows: \(rows / max(1, sealed)) bytes a point"),
      Measurement(name: "PostgreSQL, points moved into blocks", value: Double(sealed) / seconds, unit: "points/s"),
    ]
  }
}

/// A PostgreSQL server with its own data folder, run by an unprivileged user, with the default configuration except for memory.
final class PostgresServer {
  private let folder = "/tmp/godwit-bench-\(UUID().uuidString.prefix(8))"
  private let programs: String

  /// - Returns: `nil` if PostgreSQL is not installed.
  init?() throws {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    guard let version = versions.max(by: { (Int($0) ?? 0) < (Int($1) ?? 0) }) else { return nil }
    programs = "\(root)/\(version)/bin"
    try run(
      """
      mkdir -m 700 "$0" && "$1/initdb" --no-sync -D "$0/data" -U godwit -E UTF8 --locale=C -A trust &&
        "$1/pg_ctl" -D "$0/data" -w -l "$0/log" -o "-k $0 -c listen_addresses= -c shared_buffers=256MB -c max_wal_size=4GB" start
      """)
  }

  deinit {
    // The data is no longer needed. An error is ignored, and then the server may still run.
    _ = try? run(#""$1/pg_ctl" -D "$0/data" -m immediate -w stop; rm -rf "$0""#)
  }

  var address: String { "postgres://godwit@/postgres?host=\(folder)" }

  /// - Returns: the first column of the first row.
  func query(_ sql: String) throws -> String {
    let output = try Programs.run(
      URL(fileURLWithPath: "\(programs)/psql"), ["-h", folder, "-U", "godwit", "-d", "postgres", "-qAtX", "-c", sql])
    return output.trimmingCharacters(in: .newlines)
  }

  private func run(_ script: String) throws {
    // PostgreSQL does not run as root.
    let drop = getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    // Writes to a file, and closes the descriptors with which `Process` detects the end of a program: the server would keep them open.
    let alone = #"for f in /proc/$$/fd/*; do f=${f##*/}; if [ "$f" -gt 2 ]; then eval "exec $f>&-"; fi; done"#
    try Programs.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      drop + ["bash", "-c", "cd /; \(alone); { \(script); } >\(folder).log 2>&1", folder, programs])
    try? FileManager.default.removeItem(atPath: folder + ".log")
  }
}
