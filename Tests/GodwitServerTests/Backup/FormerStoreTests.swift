import CZlib
import Foundation
import GodwitHistory
import GodwitModel
import GodwitSQLite
import GodwitServices
import TestClient
import Testing

@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitDeletion
@testable import GodwitGeofencing
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer
@testable import GodwitWire

/// Files of earlier versions in `Tests/Fixtures`.
enum ReleasedFile {
  /// The content of a file that is compressed with gzip.
  static func unpacked(_ name: String) throws -> Data {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/\(name).gz").path
    let file = try #require(gzopen(path, "rb"), "there is no \(path)")
    defer { gzclose(file) }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = gzread(file, &buffer, UInt32(buffer.count))
      guard count > 0 else { return data }
      data.append(contentsOf: buffer.prefix(Int(count)))
    }
  }

  /// The content of a file that is not compressed.
  static func plain(_ name: String) throws -> Data {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)").path
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }
}

@Suite("Stores of development builds", .timeLimit(.minutes(20)))
struct FormerStoreTests {
  private struct Folders {
    let old, new: String
    let root: URL

    init() throws {
      root = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-former-\(UUID().uuidString)")
      (old, new) = (root.path + "/old", root.path + "/new")
      try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
      try ReleasedFile.unpacked("e6eb766/godwit.sqlite").write(to: URL(fileURLWithPath: old + "/godwit.sqlite"))
      try Data("secret".utf8).write(to: URL(fileURLWithPath: old + "/owner-token"))
    }

    func remove() { try? FileManager.default.removeItem(at: root) }
  }

  @Test("a store of e6eb766 is rejected with the command to convert it, and is not changed")
  func rejected() throws {
    let folders = try Folders()
    defer { folders.remove() }
    let file = URL(fileURLWithPath: folders.old + "/godwit.sqlite")
    let before = try Data(contentsOf: file)
    let error = #expect(throws: FormerSchemaError.self) { try SQLiteTrackStore(folder: folders.old) }
    #expect(error?.description.contains("godwit convert \(folders.old) NEW-FOLDER") == true)
    #expect(try Data(contentsOf: file) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders.old).sorted() == ["godwit.sqlite", "owner-token"])
    let schema = try #require(StoreCheckup.run(at: .folder(folders.old), now: Date()).first { $0.subject == "Schema" })
    #expect(schema.outcome == .bad && schema.text.contains("godwit convert \(folders.old) NEW-FOLDER"), "\(schema)")
  }

  @Test("a store of e6eb766 is converted with all data, and deletions work in it")
  func converted() async throws {
    let folders = try Folders()
    defer { folders.remove() }
    let tables = try Self.counts(folders.old)
    let summary = try await FormerStore.convert(.folder(folders.old), to: .folder(folders.new)) {
      try SQLiteTrackStore(folder: folders.new)
    }
    #expect(try String(contentsOfFile: folders.new + "/admin-token", encoding: .utf8) == "secret")
    // Every row of every table that is not computed from other tables.
    for table in BackupTable.all {
      #expect(summary.rows[table.name] == tables[FormerSchema.name(of: table)] ?? 0, "\(table.name)")
    }
    #expect(summary.rows.values.reduce(0, +) == 199)
    let store = try SQLiteTrackStore(folder: folders.new)
    defer { store.close() }
    try await Self.checkAll(store)
    // A second conversion does not write to the new store.
    await #expect(throws: Restore.InvalidBackup.self) {
      try await FormerStore.convert(.folder(folders.old), to: .folder(folders.new)) { try SQLiteTrackStore(folder: folders.new) }
    }
    // A converted store cannot be converted again.
    await #expect(throws: Restore.InvalidBackup.self) {
      try await FormerStore.convert(.folder(folders.new), to: .folder(folders.root.path + "/third")) {
        try SQLiteTrackStore(folder: folders.root.path + "/third")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folders.root.path + "/third"))
    let phone = try #require(try store.device(named: "phone"))
    let request = DeletionRequest(
      target: .device(phone.id),
      audit: DeletionRequest.Audit(account: nil, actor: "a test", action: "delete", subject: "phone", address: "local"))
    let counts = try DeletionRun(database: store).run(request, at: Date())
    #expect(counts.points == 151 && counts.links == 1)
    #expect(try store.devices().isEmpty)
  }

  @Test("a backup that e6eb766 wrote is restored", arguments: StoreKind.tested)
  func backup(_ kind: StoreKind) async throws {
    let folders = try Folders()
    defer { folders.remove() }
    let archive = folders.root.path + "/backup.tar.zst"
    try ReleasedFile.plain("e6eb766/backup.tar.zst").write(to: URL(fileURLWithPath: archive))
    let place = try ContractStore(kind)
    defer { place.end() }
    let summary = try await Restore(into: place.store, named: "a test").read(archive, folder: nil)
    #expect(summary.rows["points"] == 150 && summary.rows.values.reduce(0, +) == 199)
    try await Self.checkAll(place.store)
  }

  @Test("device tokens of a development build stay valid, and new ones are valid")
  func tokens() async throws {
    let folders = try Folders()
    defer { folders.remove() }
    let secret = AccessToken("gw_0123456789abcdef0123456789abcdef")
    do {
      let database = try Database(path: folders.old + "/godwit.sqlite")
      try database.run("INSERT INTO tokens (hash, device, created) SELECT ?, id, 0 FROM devices", secret.formerHash)
    }
    _ = try await FormerStore.convert(.folder(folders.old), to: .folder(folders.new)) {
      try SQLiteTrackStore(folder: folders.new)
    }
    let store = try SQLiteTrackStore(folder: folders.new)
    defer { store.close() }
    let cache = TokenCache(clock: .system) { try store.device(tokenHash: $0) }
    #expect(try cache.device(for: secret)?.name == "phone")
    #expect(try cache.device(for: AccessToken("gw_other")) == nil)
    let new = AccessToken()
    _ = try store.addDevice(named: "tablet", tokenHash: new.hash, at: Date())
    #expect(try cache.device(for: new)?.name == "tablet")
  }

  @Test("an API token of a development build stays valid")
  func accessToken() async throws {
    try await AccountServer.with(on: .sqlite) { server in
      let (known, unknown) = (AccessToken(), AccessToken())
      _ = try await server.server.store.write {
        try $0.run("INSERT INTO access_tokens (hash, name, scope, created) VALUES (?, 'old', 'read', 0)", known.formerHash)
      }
      #expect(server.send("GET", "/api/v1/devices", as: .bearing(known.secret)).status == 200)
      #expect(server.send("GET", "/api/v1/devices", as: .bearing(unknown.secret)).status == 401)
    }
  }

  /// The row counts of a former store by table.
  private static func counts(_ folder: String) throws -> [String: Int] {
    let database = try Database(path: folder + "/godwit.sqlite", access: .readOnly)
    let names = try database.statement("SELECT name FROM sqlite_master WHERE type = 'table'")
    var all: [String: Int] = [:]
    var list: [String] = []
    while try names.step() { list.append(names.text(0)) }
    for name in list where !name.hasPrefix("overview_boxes") {
      all[name] = Int(try database.integer("SELECT count(*) FROM \(name)") ?? 0)
    }
    return all
  }

  /// Expects the data of the store of e6eb766 in a current store.
  private static func checkAll(_ store: any StoreDatabase) async throws {
    let phone = try #require(try store.device(named: "phone"))
    let points = try store.points(PointQuery(device: phone.id, limit: 1_000))
    #expect(points.count == 150 && points.filter { $0.record.context.wifi == "home" }.count == 120)
    #expect(try store.devices().first?.points == 150)
    #expect(try store.journals(device: phone.id).first?.covered == [1...122])
    #expect(try store.events(device: phone.id, from: nil, to: nil).contains { if case .visit = $0.kind { true } else { false } })
    #expect(try store.rejections(device: phone.id, limit: 10).count == 1)
    let tables = [
      "users", "regions", "webhooks", "webhook_deliveries", "region_events", "places", "zones", "links", "access_tokens",
      "imports", "audit_log", "device_states", "device_tokens", "heartbeat_status",
    ]
    for table in tables {
      #expect(try store.read { try $0.integer("SELECT count(*) FROM \(table)") ?? 0 } > 0, "\(table) is empty")
    }
    #expect(try store.read { try $0.integer("SELECT count(*) FROM imports WHERE traced = 1") } == 0)
    // The digests have the current format.
    let regions = try store.read { db in
      try db.all("SELECT id, json, hash FROM regions WHERE json IS NOT NULL") {
        (RegionDigest(id: $0.text(0), json: $0.blob(1)), RegionDigest(bytes: $0.blob(2)))
      }
    }
    var all = RegionDigest.empty
    for (expected, stored) in regions {
      #expect(expected == stored)
      all.toggle(stored)
    }
    #expect(try store.read { try $0.first("SELECT digest FROM region_status") { RegionDigest(bytes: $0.blob(0)) } } == all)
    let webhook = try #require(try store.read { try WebhookTables.all($0) }.first)
    #expect(webhook.options.url.hasPrefix("http"))
    // Converted points are recognized as duplicates, and a new point is stored.
    let again = try await store.store(points.map(\.record) + [try step(1)], of: phone)
    #expect(again.saved == 1 && again.duplicates == 150)
    try await store.processBacklog()
    #expect(try store.read { try $0.integer("SELECT count(*) FROM visits") ?? 0 } > 0)
  }
}
