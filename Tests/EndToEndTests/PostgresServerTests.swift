import Foundation
import TestCluster
import TestHistory
import TestParts
import Testing

/// Runs `godwit serve --store postgres://…` under load, and kills servers and the database.
@Suite(
  "Servers on PostgreSQL", .enabled(if: TestPart.postgres.isRun, "\(TestPart.postgres.reason)"), .serialized,
  .timeLimit(.minutes(20)))
struct PostgresServerTests {
  @Test("acknowledged records are stored once, however often the server is killed")
  func killedServer() async throws {
    let database = try TestDatabase()
    let server = try await RunningServer(store: database.address)
    let uploads = Uploads(endpoint: server.endpoint, token: server.token)
    async let done: Void = uploads.run(phones: 8)
    for _ in 1...5 {
      try await uploads.waitForBatches(20)
      try await server.killAndRestart()
    }
    try await uploads.waitForBatches(20)
    uploads.end()
    await done
    #expect(try await server.stop() == 0)
    let stored = try StoredHistory(of: database.address)
    #expect(uploads.problems(of: stored) == [])
    let counted = try database.sql("SELECT points FROM devices")
    #expect(stored.points.count == Int(counted))
  }

  @Test("while PostgreSQL is down requests are rejected, and accepted afterwards; acknowledged records are stored once")
  func killedDatabase() async throws {
    let cluster = try TestCluster()
    let database = try TestDatabase(in: cluster)
    let server = try await RunningServer(store: database.address)
    let uploads = Uploads(endpoint: server.endpoint, token: server.token)
    async let done: Void = uploads.run(phones: 8)
    for _ in 1...3 {
      try await uploads.waitForBatches(20)
      try cluster.kill()
      try await uploads.waitForResponses(20, withStatus: 503)
      try cluster.start()
    }
    try await uploads.waitForBatches(20)
    uploads.end()
    await done
    #expect(!server.background.errorOutput.contains(TestCluster.password))
    #expect(try await server.stop() == 0)
    let stored = try StoredHistory(of: database.address)
    #expect(uploads.problems(of: stored) == [])
    let counted = try database.sql("SELECT points FROM devices")
    #expect(stored.points.count == Int(counted))
  }

  @Test(
    "three servers behind nginx act as one: clients do not notice a kill, and acknowledged records are stored once",
    .enabled(if: TestPart.nginx.isRun, "\(TestPart.nginx.reason)"))
  func severalServers() async throws {
    let database = try TestDatabase()
    let servers = [
      try await RunningServer(store: database.address), try await RunningServer(store: database.address),
      try await RunningServer(store: database.address),
    ]
    let folder = try TemporaryFolder()
    let port = try TestCluster.freePort()
    let configuration = folder.path("nginx.conf")
    // nginx may send a batch to the next server although the first may have stored it: the store ignores repeated records. With
    // max_fails=0 nginx does not exclude a server after a failure, because the test restarts servers in quick succession.
    try """
    \(getuid() == 0 ? "user root;" : "")
    daemon off;
    pid \(folder.path("nginx.pid"));
    error_log \(folder.path("error.log"));
    events {}
    http {
      access_log off;
      client_body_temp_path \(folder.path("body"));
      proxy_temp_path \(folder.path("proxy"));
      fastcgi_temp_path \(folder.path("fastcgi"));
      uwsgi_temp_path \(folder.path("uwsgi"));
      scgi_temp_path \(folder.path("scgi"));
      upstream godwit {
        \(servers.map { "server 127.0.0.1:\($0.port) max_fails=0;" }.joined(separator: "\n    "))
        keepalive 16;
      }
      server {
        listen 127.0.0.1:\(port);
        location / {
          proxy_pass http://godwit;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_connect_timeout 2s;
          proxy_next_upstream error timeout http_503 non_idempotent;
        }
      }
    }
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    let nginx = try Background(
      try #require(Executable.find("nginx")), ["-e", folder.path("error.log"), "-c", configuration], in: folder)
    try await nginx.wait("nginx to listen") { FileManager.default.fileExists(atPath: folder.path("nginx.pid")) ? true : nil }
    let uploads = Uploads(endpoint: "http://127.0.0.1:\(port)/api/overland", token: servers[0].token)
    async let done: Void = uploads.run(phones: 8)
    for server in servers {
      try await uploads.waitForBatches(30)
      try await server.kill()
      try await uploads.waitForBatches(30)
      try await server.restart()
    }
    try await uploads.waitForBatches(30)
    uploads.end()
    await done
    #expect(uploads.statuses == [200], "\(uploads.rejections), \(servers.map(\.background.errorOutput))")
    // SIGINT ends nginx together with its workers.
    nginx.interrupt()
    _ = try await nginx.waitForEnd()
    for server in servers { #expect(try await server.stop() == 0) }
    let stored = try StoredHistory(of: database.address)
    #expect(uploads.problems(of: stored) == [])
    let counted = try database.sql("SELECT sum(points) FROM devices")
    #expect(stored.points.count == Int(counted))
  }
}
