import CArchive
import Foundation
import TestClient
import Testing

@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Export of all data of a user")
struct AccountExportTests {
  /// The contents of the files of an archive, by name.
  private static func files(_ archive: [UInt8]) throws -> [String: String] {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-export-\(UUID().uuidString).zip")
    defer { try? FileManager.default.removeItem(at: path) }
    try Data(archive).write(to: path)
    let archive = try #require(archive_read_new())
    defer { archive_read_free(archive) }
    archive_read_support_format_zip(archive)
    #expect(archive_read_open_filename(archive, path.path, 1 << 16) == ARCHIVE_OK)
    var files: [String: String] = [:]
    var entry: OpaquePointer?
    while archive_read_next_header(archive, &entry) == ARCHIVE_OK {
      var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
      while case let count = archive_read_data(archive, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
      files[String(cString: try #require(archive_entry_pathname(entry)))] = String(decoding: bytes, as: UTF8.self)
    }
    return files
  }

  @Test("the export has the records of the user's devices and all other data without secrets", arguments: StoreKind.tested)
  func everything(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      for (user, name) in [(anna, "annas phone"), (ben, "bens phone")] {
        let (_, token) = try await server.device(name, of: user)
        try server.upload(
          token, (0..<100).map { (46 + Double($0) * 1e-4, 14.5) }, from: Date(timeIntervalSince1970: 1_700_000_000))
        let session = try await server.session(of: user)
        let place = #"{"device":"\#(name)","name":"Home of \#(user.name)","latitude":46.05,"longitude":14.5}"#
        #expect([200, 201].contains(server.send("POST", "/api/v1/places", as: session, body: place).status))
        #expect(server.send("PUT", "/api/v1/preferences", as: session, body: #"{"theme":"dark","language":"sl"}"#).status == 200)
      }
      let session = try await server.session(of: anna)
      let token = server.send("POST", "/api/v1/tokens", as: session, body: #"{"name":"grafana","scope":"read"}"#)
      let secret = try #require(token.object["token"] as? String)
      let response = server.send("GET", "/api/v1/export/all", as: session)
      #expect(response.status == 200 && response.headers["content-type"] == "application/zip")
      #expect(
        response.headers["content-disposition"]?.contains("godwit-20") == true && response.headers["cache-control"] == "no-store")
      let files = try Self.files(response.body)
      #expect(files.keys.filter { $0.hasPrefix("devices/") } == ["devices/annas phone.geojson"])
      let records = try #require(files["devices/annas phone.geojson"])
      let features = try JSONSerialization.jsonObject(with: Data(records.utf8)) as? [String: Any]
      #expect((features?["features"] as? [Any])?.count == 100)
      // Each table is JSON, without data of the other user and without secrets.
      for (name, text) in files where name.hasPrefix("tables/") {
        let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        #expect(rows?.isEmpty == false, "\(name)")
        #expect(!text.contains("ben") && !text.contains(secret) && !text.contains("hash"), "\(name): \(text)")
      }
      #expect(files["tables/places.json"]?.contains("Home of anna") == true)
      #expect(files["tables/preferences.json"]?.contains(#""theme":"dark""#) == true)
      #expect(files["tables/access_tokens.json"]?.contains("grafana") == true)
      // An export needs credentials.
      #expect(server.send("GET", "/api/v1/export/all").status == 401)
    }
  }

  @Test("the export has the friendships of the user only, with the names of the friends", arguments: StoreKind.tested)
  func friendships(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = [try await server.user("anna"), try await server.user("ben"), try await server.user("cleo")]
      var sessions: [AccountServer.Caller] = []
      for user in users { sessions.append(try await server.session(of: user)) }
      for (number, name) in [(0, "ben"), (1, "cleo")] {
        let body = #"{"user":"\#(name)","direction":"show"}"#
        #expect(server.send("POST", "/api/v1/friends", as: sessions[number], body: body).status < 300)
      }
      let files = try Self.files(server.send("GET", "/api/v1/export/all", as: sessions[0]).body)
      let text = try #require(files["tables/friendships.json"])
      let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
      let row = try #require(rows?.first)
      #expect(rows?.count == 1 && row["subject"] as? String == "anna" && row["viewer"] as? String == "ben", "\(text)")
      #expect(row["access"] as? String == "latest" && !text.contains("cleo"))
      let bens = try Self.files(server.send("GET", "/api/v1/export/all", as: sessions[1]).body)
      #expect(bens["tables/friendships.json"]?.contains("cleo") == true)
    }
  }

  @Test("file names are marked as UTF-8, even in the C locale")
  func names() throws {
    let zip = try ZipStream(time: 1_700_000_000)
    try zip.begin("日本é.geojson")
    try zip.append([1, 2, 3])
    try zip.finish()
    let bytes = zip.pop()
    // APPNOTE 4.3.7: flags are bytes 6 and 7 of a file's header, the name is from byte 30.
    let name = Array("日本é.geojson".utf8)
    #expect(bytes[7] & 0x08 != 0 && Array(bytes[30..<30 + name.count]) == name)
    // APPNOTE 4.3.12: in the central directory the flags are bytes 8 and 9, and the name is from byte 46.
    let entry = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
    #expect(bytes[entry + 9] & 0x08 != 0 && Array(bytes[(entry + 46)...].prefix(name.count)) == name)
  }

  @Test("file names that differ only in case or Unicode normalization get numbers")
  func sameNames() {
    var names = FileNames()
    let given = ["Bob-Phone", "bob-phone", "BOB-PHONE", "caf\u{E9}", "cafe\u{301}", "straße", "STRASSE", "anna"]
    let expected = [
      "Bob-Phone", "bob-phone (2)", "BOB-PHONE (3)", "caf\u{E9}", "cafe\u{301} (2)", "straße", "STRASSE (2)", "anna",
    ]
    #expect(given.map { names.unique($0) } == expected)
  }

  @Test("the export has a file for each of two devices whose names differ only in case", arguments: StoreKind.tested)
  func sameDevices(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      for name in ["Bob-Phone", "bob-phone"] { _ = try await server.device(name, of: anna) }
      let session = try await server.session(of: anna)
      let files = try Self.files(server.send("GET", "/api/v1/export/all", as: session).body)
      let devices = files.keys.filter { $0.hasPrefix("devices/") }
      #expect(devices.count == 2 && Set(devices.map { $0.lowercased() }).count == 2 && devices.contains { $0.contains(" (2).") })
    }
  }

  @Test("each table with rows of users or devices is either exported or excluded")
  func tables() {
    let exported = Set(AccountExport.tables.map(\.name))
    // Excluded: secrets, state of the server, and data that is in the records of the devices.
    let leftOut: Set = [
      "users", "devices", "device_tokens", "journals", "points", "events", "rejected_drops", "offline_devices", "contact_hours",
      "mqtt_topics",
      "region_rules", "region_syncs", "device_states", "webhook_deliveries", "second_factors", "recovery_codes",
      "openid_identities",
      "link_devices", "zone_counts", "app_options", "app_commands", "mirrored_devices",
    ]
    for table in BackupTable.all {
      let names = Set(table.columns.map(\.name))
      guard !names.isDisjoint(with: ["account", "device", "owner", "viewer"]) else { continue }
      #expect(exported.contains(table.name) != leftOut.contains(table.name), "\(table.name)")
    }
  }
}
