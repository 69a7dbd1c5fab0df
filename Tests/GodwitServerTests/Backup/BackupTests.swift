import Foundation
import GodwitAccounts
import GodwitHistory
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("A backup", .timeLimit(.minutes(20)))
struct BackupTests {
  struct Direction: Sendable, CustomTestStringConvertible {
    let from: StoreKind
    let to: StoreKind
    var testDescription: String { "\(from.testDescription) to \(to.testDescription)" }
  }
  static let directions = StoreKind.tested.flatMap { from in StoreKind.tested.map { Direction(from: from, to: $0) } }

  @Test("a backup contains every table and column of both schemas", arguments: StoreKind.tested)
  func columns(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    var found: [String: Set<String>] = [:]
    try place.store.read { db in
      let sql =
        switch db.dialect {
        case .sqlite:
          """
          SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
          WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'
          """
        case .postgres:
          """
          SELECT CAST(table_name AS text), CAST(column_name AS text) FROM information_schema.columns
          WHERE table_schema = 'public' AND table_name NOT LIKE 'points_%' AND table_name NOT LIKE 'citus_%'
          """
        }
      try db.forEach(sql) { found[$0.text(0), default: []].insert($0.text(1)) }
    }
    #expect(found.count > 30)
    var known = BackupPoints.physical(place.store.dialect)
    for table in BackupTable.all where table.name != "points" { known[table.name] = Set(table.columns.map(\.name)) }
    for (name, columns) in found where known[name] != columns {
      #expect(
        BackupTable.leftOut[name] != nil && known[name] == nil,
        "\(name) has the columns \(columns.sorted()): add them to BackupTable.all, or to leftOut with the reason")
    }
    for name in known.keys { #expect(found[name] != nil, "there is no table \(name)") }
  }

  @Test("a restored store gives the same responses", arguments: directions)
  func sameResponses(_ direction: Direction) async throws {
    let archive = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString).tar.zst")
    defer { try? FileManager.default.removeItem(at: archive) }
    try await AccountServer.with(on: direction.from) { source in
      let callers = try await Self.fill(source)
      try await source.server.processBacklog()
      let before = try Self.responses(of: source, callers)
      #expect(before.count > 80)
      let summary = try Backup(of: source.server.store, folder: source.folder.path).write(to: archive.path, at: walkStart)
      #expect(summary.files == ["admin-token"])
      let empty = BackupTable.all.map(\.name).filter { summary.rows[$0, default: 0] == 0 }
      #expect(empty == [], "the test adds rows to every table")
      try await AccountServer.with(on: direction.to) { target in
        try FileManager.default.removeItem(at: target.folder.appendingPathComponent("admin-token"))
        let restored = try await Restore(into: target.server.store, named: "new").read(archive.path, folder: target.folder.path)
        #expect(restored.rows == summary.rows)
        #expect(try target.administratorToken == source.administratorToken)
        try await target.server.store.processBacklog()
        try target.restart()
        let after = try Self.responses(of: target, callers)
        #expect(after.keys.sorted() == before.keys.sorted())
        for (prompt, response) in before { #expect(after[prompt] == response, "\(prompt)") }
        // New rows get unused ids.
        let (again, _) = try await target.device("one-more", of: nil)
        #expect(again.id > 2)
      }
    }
  }

  @Test("a backup of a restored store equals the original backup", arguments: directions)
  func sameArchive(_ direction: Direction) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (first, second) = (folder.path + "/1", folder.path + "/2")
    let (from, to) = (try ContractStore(direction.from), try ContractStore(direction.to))
    defer {
      from.end()
      to.end()
    }
    let device = try from.store.makeDevice()
    let records = try (0..<30_000).map {
      try step(
        $0, context: DeviceContext(wifi: "wifi \($0 / 1000) \"ü\"\n", tripID: $0 % 2 == 0 ? "t" : nil), extras: #"{"a":"\u0001"}"#
      )
    }
    _ = try await from.store.store(records, of: device)
    // The receive times are whole seconds: SQLite stores them with this resolution.
    _ = try Backup(of: from.store, folder: nil).write(to: first, at: walkStart)
    _ = try await Restore(into: to.store, named: "new").read(first, folder: nil)
    _ = try Backup(of: to.store, folder: nil).write(to: second, at: walkStart)
    let (a, b) = (try Self.files(first), try Self.files(second))
    #expect(a.keys.sorted() == b.keys.sorted() && a.keys.contains("tables/points/000001.jsonl"))
    for (name, bytes) in a { #expect(b[name] == bytes, "\(name)") }
  }

  @Test("a backup is restored into an empty store only", arguments: StoreKind.tested)
  func notEmpty(_ kind: StoreKind) async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString).tar.zst").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let place = try ContractStore(kind)
    defer { place.end() }
    _ = try place.store.makeDevice()
    _ = try Backup(of: place.store, folder: nil).write(to: path, at: walkStart)
    let error = await #expect(throws: Restore.InvalidBackup.self) {
      try await Restore(into: place.store, named: "here").read(path, folder: nil)
    }
    #expect(error?.description.contains("The store here is not empty: it has 1 row of devices") == true)
  }

  @Test("a damaged or truncated backup is rejected as a whole", arguments: StoreKind.tested)
  func damaged(_ kind: StoreKind) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = try ContractStore(kind)
    defer { place.end() }
    let full = try ContractStore(.sqlite)
    defer { full.end() }
    _ = try await full.store.store((0..<2000).map { try step($0) }, of: full.store.makeDevice())
    let path = folder.path + "/whole"
    _ = try Backup(of: full.store, folder: nil).write(to: path, at: walkStart)
    let whole = try Self.files(path)

    func archive(_ name: String, _ change: (inout [(name: String, bytes: [UInt8])]) -> Void) throws -> String {
      let tar = try TarWriter(folder.path + "/" + name, time: 0)
      // The files in their original order: a row follows the rows that it refers to.
      let order = BackupTable.all.map(\.name)
      func place(_ file: String) -> Int {
        let parts = file.split(separator: "/").map(String.init)
        return parts.count == 3 ? order.firstIndex(of: parts[1]) ?? -1 : -1
      }
      var files = whole.map { (name: $0.key, bytes: $0.value) }.sorted { (place($0.name), $0.name) < (place($1.name), $1.name) }
      let manifest = files.firstIndex { $0.name == "manifest.json" }
      files.insert(files.remove(at: try #require(manifest)), at: 0)
      let sums = files.firstIndex { $0.name == Backup.sums }
      files.append(files.remove(at: try #require(sums)))
      change(&files)
      for file in files { try tar.add(file.name, file.bytes) }
      try tar.finish()
      return folder.path + "/" + name
    }
    let cases: [(path: String, reason: String)] = [
      (try archive("cut") { $0.removeLast() }, "it is truncated"),
      (
        try archive("changed") { files in
          for index in files.indices where files[index].name.hasPrefix("tables/devices") {
            files[index].bytes = Array(
              String(decoding: files[index].bytes, as: UTF8.self).replacing("walker", with: "talker").utf8)
          }
        }, "is damaged"
      ),
      (
        try archive("newer") { files in
          files[0].bytes = Array(
            String(decoding: files[0].bytes, as: UTF8.self).replacing("\"version\" : 2", with: "\"version\" : 99").utf8)
        }, "newer than this one"
      ),
      (try archive("other") { $0.removeFirst() }, "not a backup of godwit"),
      (folder.path + "/nothing", "there is no such file"),
    ]
    for (path, reason) in cases {
      var message = ""
      do { _ = try await Restore(into: place.store, named: "new").read(path, folder: nil) } catch { message = "\(error)" }
      #expect(message.contains(reason), "\(path): \(message)")
    }
    #expect(try place.store.devices().isEmpty, "no row of them was stored")
    _ = try await Restore(into: place.store, named: "new").read(path, folder: nil)
    #expect(try place.store.devices().first?.points == 2000)
  }

  @Test(
    "rows are read as they were written",
    arguments: [
      [SQLArgument.null, .null, .null, .null], [.integer(.min), .real(-0.1), .text("\"\\\n\u{0}\u{1F}ü🚲"), .blob([0, 255, 34])],
      [.integer(.max), .real(1e300), .text(""), .blob([])], [.integer(0), .real(180), .text("null"), .blob([1])],
    ])
  func rows(_ row: [SQLArgument]) throws {
    var line: [UInt8] = []
    BackupRow.append(row, to: &line)
    #expect(line.filter { $0 == 0x0A }.count == 1)
    let read = try line.dropLast().withUnsafeBufferPointer { try BackupRow.read($0, [.integer, .real, .text, .blob]) }
    #expect(read == row)
  }

  // A day can contain the end of a visit but no point.
  @Test("a restore recomputes the days on which a visit or a trip begins or ends, even without points", arguments: directions)
  func days(_ direction: Direction) async throws {
    let folder = try BackupFolder()
    let (from, to) = (try ContractStore(direction.from), try ContractStore(direction.to))
    defer {
      from.end()
      to.end()
    }
    let day = 86_400.0
    let begin = Date(timeIntervalSince1970: 20_000 * day + 3600)
    let visit = Visit(
      time: begin, coordinate: try coordinate(46, 14.5), arrival: begin, departure: begin.addingTimeInterval(2 * day))
    let trip = Trip(
      start: begin.addingTimeInterval(5 * day), end: begin.addingTimeInterval(5 * day + 60), mode: "walk", duration: 60,
      distance: 10)
    _ = try await from.store.store(
      [Record(kind: .visit(visit)), Record(kind: .trip(trip))], of: from.store.makeDevice())
    _ = try Backup(of: from.store, folder: nil).write(to: folder.path("backup"), at: walkStart)
    _ = try await Restore(into: to.store, named: "new").read(folder.path("backup"), folder: nil)
    let days = try to.store.read { try $0.all("SELECT day FROM dirty_days ORDER BY day") { $0.integer(0) } }
    #expect(days == [20_000, 20_002, 20_005])
  }

  // The message names the wrong order, because the archive is otherwise a valid backup.
  @Test(
    "a repacked backup is rejected if the order of its entries changed",
    arguments: [
      ("by name", "it begins with SHA256SUMS"), ("sums in the middle", "comes after SHA256SUMS"),
      ("backwards", "its table "), ("with folders", nil),
    ] as [(String, String?)])
  func repacked(_ order: String, _ reason: String?) async throws {
    let folder = try BackupFolder()
    let (full, place) = (try ContractStore(.sqlite), try ContractStore(.sqlite))
    defer {
      full.end()
      place.end()
    }
    let device = try full.store.makeDevice()
    _ = try await full.store.store(
      (0..<20).map { try step($0, journal: 1) }, of: device, rejections: [],
      range: SequenceRange(journal: 1, numbers: 1...20, since: 1))
    let path = folder.path("whole")
    _ = try Backup(of: full.store, folder: nil).write(to: path, at: walkStart)
    var files: [(name: String, bytes: [UInt8])] = []
    let reader = try TarReader(path)
    while let file = try reader.next() { files.append(file) }
    switch order {
    case "by name": files.sort { $0.name < $1.name }
    case "sums in the middle": files.swapAt(files.count - 1, files.count - 2)
    case "backwards":
      let tables = files.indices.filter { files[$0].name.hasPrefix("tables/") }
      let turned = tables.reversed().map { files[$0] }
      for (index, file) in zip(tables, turned) { files[index] = file }
    default:
      files = [("./", [])] + files.map { ("./" + $0.name, $0.bytes) }
      files.insert(("./tables/", []), at: 2)
    }
    let tar = try TarWriter(folder.path("again"), time: 0)
    for file in files { try tar.add(file.name, file.bytes) }
    try tar.finish()
    var message: String?
    do { _ = try await Restore(into: place.store, named: "new").read(folder.path("again"), folder: nil) } catch {
      message = "\(error)"
    }
    if let reason {
      #expect(message?.contains(reason) == true && message?.contains("repacked") == true, "\(message ?? "restored")")
      #expect(try place.store.devices().isEmpty)
    } else {
      #expect(message == nil)
      #expect(try place.store.devices().first?.points == 20)
    }
  }

  @Test("an unfinished backup leaves no file, and a finished one replaces the file of the same name", arguments: [true, false])
  func unfinished(usesUnnamedFile: Bool) throws {
    let folder = try BackupFolder()
    let path = folder.path("backup")
    for (name, text) in [("backup", "old"), ("backup.part", "left over")] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }
    do {
      let tar = try TarWriter(path, time: 0, usesUnnamedFile: usesUnnamedFile)
      try tar.add("a", Array("some bytes".utf8))
      // The state that a killed process would leave.
      #expect(folder.size("backup.part") == (usesUnnamedFile ? "left over".utf8.count : 0))
    }
    // A backup whose verification fails.
    #expect(throws: CancellationError.self) {
      let tar = try TarWriter(path, time: 0, usesUnnamedFile: usesUnnamedFile)
      try tar.add("a", Array("some bytes".utf8))
      try tar.finish { part in
        #expect(try TarReader(part).next()?.name == "a")
        throw CancellationError()
      }
    }
    #expect(folder.size("backup") == "old".utf8.count && folder.names == ["backup"])
    if usesUnnamedFile { try Data("left over".utf8).write(to: URL(fileURLWithPath: folder.path("backup.part"))) }
    #expect(folder.names == (usesUnnamedFile ? ["backup", "backup.part"] : ["backup"]))
    let tar = try TarWriter(path, time: 0, usesUnnamedFile: usesUnnamedFile)
    try tar.add("a", Array("some bytes".utf8))
    try tar.finish()
    #expect(folder.names == ["backup"])
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let reader = try TarReader(path)
    let file = try #require(try reader.next())
    #expect(file.name == "a" && file.bytes == Array("some bytes".utf8))
    #expect(throws: TarError.self) { try TarWriter(folder.path("nothing/backup"), time: 0, usesUnnamedFile: usesUnnamedFile) }
  }

  @Test("each file in an archive is verified by its checksum, encrypted or not", arguments: [nil, "correct horse battery"])
  func check(_ text: String?) async throws {
    let passphrase = text.map { Passphrase($0) }
    let folder = try BackupFolder()
    let path = folder.path("backup")
    let place = try ContractStore(.sqlite)
    defer { place.end() }
    _ = try await place.store.store(try (0..<500).map { try step($0) }, of: try place.store.makeDevice())
    _ = try Backup(of: place.store, folder: nil).write(
      to: path, at: walkStart, passphrase: passphrase, cost: KeyCost(passes: 1, memory: 8192))
    let unencrypted = folder.path("unencrypted")
    _ = try Backup(of: place.store, folder: nil).write(to: unencrypted, at: walkStart)
    let files = try Self.files(unencrypted)
    let summary = try Backup.check(path, passphrase: passphrase)
    #expect(summary.rows["points"] == 500 && summary.rows["devices"] == 1)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for place in stride(from: 20, to: bytes.count, by: bytes.count / 40) {
      var damaged = bytes
      damaged[place] ^= 16
      try damaged.write(to: URL(fileURLWithPath: path))
      // A change of a bit that zstd and tar do not use has no effect on the content.
      if let other = try? Backup.check(path, passphrase: passphrase) {
        #expect(other.rows == summary.rows)
        let target = try ContractStore(.sqlite)
        defer { target.end() }
        _ = try await Restore(into: target.store, named: "new").read(path, passphrase: passphrase, folder: nil)
        _ = try Backup(of: target.store, folder: nil).write(to: unencrypted, at: walkStart)
        let isSame = try Self.files(unencrypted) == files
        #expect(isSame, "byte \(place)")
      }
      try bytes.prefix(place).write(to: URL(fileURLWithPath: path))
      #expect(throws: (any Error).self) { try Backup.check(path, passphrase: passphrase) }
    }
  }

  // MARK: Test support

  /// A folder that is deleted with its last reference.
  private final class BackupFolder {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
    func size(_ name: String) -> Int? { FileManager.default.contents(atPath: path(name))?.count }
  }

  private static func files(_ path: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let tar = try TarReader(path)
    while let file = try tar.next() { files[file.name] = file.bytes }
    return files
  }

  /// Adds rows to every table.
  /// - Returns: callers for the users that may read them.
  static func fill(_ server: AccountServer) async throws -> [String: AccountServer.Caller] {
    let admin = try await server.user("ada", .admin)
    let anna = try await server.user("anna")
    let (phone, phoneToken) = try await server.device("phone", of: anna)
    let (van, vanToken) = try await server.device("van", of: nil)
    let callers = ["admin": try await server.session(of: admin), "anna": try await server.session(of: anna)]
    let (asAdmin, asAnna) = (try #require(callers["admin"]), try #require(callers["anna"]))
    _ = try await server.token(.read, of: anna, device: phone)
    let begin = Date(millisecondsSince1970: 1_700_000_000_000)
    let places = (0..<400).map { (step: Int) -> (latitude: Double, longitude: Double) in
      let (north, east) = (Double(step) * 0.0007, Double(step % 17) * 0.0003)
      return (46.0 + north, 14.5 - east)
    }
    try server.upload(
      phoneToken, places, from: begin, extra: #","wifi":"Zum \"Löwen\"","battery_level":0.5,"motion":["walking"],"odd":1"#)
    try server.upload(vanToken, places.reversed(), from: begin)
    let store = server.server.store
    let home = try coordinate(46.1, 14.5)
    let visit = Visit(time: begin, coordinate: home, arrival: begin, departure: begin.addingTimeInterval(600))
    _ = try await store.store(
      [Record(kind: .visit(visit)), try step(1, journal: 1), try step(5, journal: 1)], of: phone,
      rejections: [RejectedRecord(place: "locations[3]", reason: "no \"place\"", raw: Array("{\"ü\"}".utf8) + [0xFF])],
      range: SequenceRange(journal: 1, numbers: 1...5, since: 1))
    func done(_ method: String, _ path: String, _ body: String, _ caller: AccountServer.Caller) {
      let response = server.send(method, path, as: caller, body: body)
      #expect((200...202).contains(response.status), "\(method) \(path): \(response.text)")
    }
    done("PUT", "/api/v1/regions/home", #"{"center":{"latitude":46,"longitude":14},"radius":100,"tags":["a"]}"#, asAdmin)
    done("PUT", "/api/v1/regions/gone", #"{"center":{"latitude":46,"longitude":14},"radius":100}"#, asAdmin)
    done("DELETE", "/api/v1/regions/gone", "", asAdmin)
    done("PUT", "/api/v1/devices/van/regions", #"{"tags":["a"]}"#, asAdmin)
    done("PUT", "/api/v1/groups/cars/regions", #"{"tags":["a"]}"#, asAdmin)
    done("GET", "/api/regions", "", vanToken)
    done("POST", "/api/v1/webhooks", #"{"url":"http://127.0.0.1:9/","tags":["a"]}"#, asAdmin)
    done("POST", "/api/v1/zones", #"{"name":"Home","center":{"latitude":40,"longitude":10},"radius":200}"#, asAnna)
    done("POST", "/api/v1/links", #"{"name":"Walk","devices":["phone"]}"#, asAnna)
    done("POST", "/api/v1/friends", #"{"user":"ada"}"#, asAnna)
    done("PUT", "/api/v1/preferences", #"{"units":"nautical","time_zone":"Europe/Ljubljana","theme":"dark"}"#, asAnna)
    done("PUT", "/api/v1/profile", ##"{"name":"Anna","tid":"AN"}"##, asAnna)
    done("PUT", "/api/v1/devices/phone/look", ##"{"color":"#0b6e6e","icon":"phone"}"##, asAnna)
    done("PUT", "/api/v1/devices/phone/retention", #"{"keep_days":10000}"#, asAnna)
    done("PUT", "/api/v1/devices/phone/settings", #"{"send_interval":"10s"}"#, asAdmin)
    done("PUT", "/api/v1/devices/phone/heartbeat", #"{"after_seconds":86400}"#, asAnna)
    done("PUT", "/api/v1/devices/van/mqtt-topics", #"{"topic":"owntracks/ada/van"}"#, asAdmin)
    done("POST", "/api/v1/places", #"{"name":"Work","latitude":46.1,"longitude":14.5,"radius":80}"#, asAnna)
    let now = begin.millisecondsSince1970
    let rows: [(sql: String, arguments: [SQLArgument])] = [
      ("INSERT INTO sign_in_failures (subject, failures, last) VALUES (?, 2, ?)", [.blob([1, 2, 255]), .integer(now)]),
      (
        "INSERT INTO second_factors (account, secret, created, enrolled, last_step) VALUES (?, ?, ?, ?, 7)",
        [.integer(anna.id), .blob([0, 255, 7]), .integer(now), .integer(now)]
      ),
      (
        "INSERT INTO openid_identities (issuer, subject, account, created) VALUES ('https://sso.example', 'ü', ?, ?)",
        [.integer(anna.id), .integer(now)]
      ),
      (
        """
        INSERT INTO passkeys (account, credential, public_key, host, name, signatures, synced, created)
        VALUES (?, ?, ?, 'godwit.example', 'Key', 4294967295, 1, ?)
        """, [.integer(anna.id), .blob([0, 255]), .blob([0xA4, 255]), .integer(now)]
      ),
      (
        "INSERT INTO account_notices (account, time, type, detail, actor, address) VALUES (?, ?, 'account.signed_in', 'ü', 'anna', '')",
        [.integer(anna.id), .integer(now)]
      ),
      (
        "INSERT INTO photo_servers (account, address, api_key, stored) VALUES (?, 'https://photos.example.org', 'a key', ?)",
        [.integer(anna.id), .integer(now)]
      ),
      ("INSERT INTO recovery_codes (account, hash) VALUES (?, ?)", [.integer(anna.id), .blob([9, 255])]),
      ("INSERT INTO zone_counts (device, coarsened, dropped) VALUES (?, 2, 3)", [.integer(phone.id)]),
      ("INSERT INTO mirrored_devices (device, source, number) VALUES (?, 'another store', 7)", [.integer(phone.id)]),
      (
        "INSERT INTO timeline_corrections (device, created, first, last, body) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(phone.id), .integer(now), .integer(now), .integer(now + 24_000_000),
          .text(#"{"kind":"trip","action":"mode","start":\#(now),"end":\#(now + 24_000_000),"mode":"boat"}"#),
        ]
      ),
      ("INSERT INTO app_options (device, owntracks_key, shares, sealed_only) VALUES (?, 'a key', 1, 1)", [.integer(van.id)]),
      ("INSERT INTO app_reports (device, type, time, body) VALUES (?, 'status', ?, '{}')", [.integer(van.id), .integer(now)]),
      ("INSERT INTO app_commands (device, created, body) VALUES (?, ?, '{}')", [.integer(van.id), .integer(now)]),
      ("INSERT INTO rejected_drops (device, dropped) VALUES (?, 7)", [.integer(van.id)]),
      (
        "INSERT INTO offline_devices (device, since, detected, notified) VALUES (?, ?, ?, 1)",
        [.integer(van.id), .integer(now), .integer(now)]
      ),
      (
        "INSERT INTO contact_hours (device, day, hour, began, length) VALUES (?, 19000, 3, ?, 1000) ON CONFLICT DO NOTHING",
        [.integer(van.id), .integer(now)]
      ),
      // A deletion without remaining rows.
      ("INSERT INTO deletions (request, counts, created) VALUES (NULL, '{}', ?)", [.integer(now)]),
      (
        "INSERT INTO deleted_ranges (journal, first, last) SELECT id, 7, 9 FROM journals WHERE device = ?",
        [.integer(phone.id)]
      ),
      ("INSERT INTO outages (began, ended) VALUES (?, ?)", [.integer(now - 5000), .integer(now)]),
      ("INSERT INTO heartbeat_status (one, seen) VALUES (1, ?) ON CONFLICT DO NOTHING", [.integer(now)]),
      (
        "INSERT INTO mqtt_unassigned (topic, subtopic, received, hash, body) VALUES ('owntracks/x/y', '', ?, ?, ?)",
        [.integer(now), .blob([7, 255]), .blob(Array("{}".utf8))]
      ),
      (
        "INSERT INTO addresses (north, east, text, attribution, asked) VALUES (92000, 29000, 'A street', 'OpenStreetMap', ?)",
        [.integer(now)]
      ),
      (
        """
        INSERT INTO outliers (device, time, latitude, longitude, reason, flagged, manual, day)
        VALUES (?, ?, ?, ?, 'owner', 1, 1, 19675)
        """, try #require(server.server.store.points(PointQuery(device: van.id, limit: 1)).first).flagArguments
      ),
      (
        "INSERT INTO device_states (device, time, stays) VALUES (?, ?, '[]') ON CONFLICT DO NOTHING",
        [.integer(van.id), .integer(now)]
      ),
      (
        "INSERT INTO region_events (device, region, name, body) VALUES (?, 'home', 'evt_made_up', '{\"type\":\"region.entered\"}')",
        [.integer(van.id)]
      ),
      (
        """
        INSERT INTO webhook_deliveries (event, webhook, device, queued, next_attempt)
        SELECT region_events.id, webhooks.id, ?, 1, 9000000000000000 FROM region_events, webhooks
        WHERE region_events.name = 'evt_made_up' ON CONFLICT DO NOTHING
        """, [.integer(van.id)]
      ),
    ]
    for (sql, arguments) in rows {
      try await server.run(sql, arguments)
    }
    let source = ImportSource(path: "gone.upload", name: "old.gpx", size: 10)
    _ = try await store.write {
      let job = try ImportTables.add(
        source, place: "elsewhere", account: anna.id, options: ImportOptions(device: "phone"), state: .waiting, at: begin, $0)
      try ImportTables.set(job.id, .done, at: begin, $0)
    }
    return callers
  }

  /// The texts of the responses of the GET routes, by caller and path.
  static func responses(
    of server: AccountServer, _ callers: [String: AccountServer.Caller]
  ) throws -> [String: String] {
    // Excluded: streams, counters since the start of the server, routes of devices, and routes whose responses contain the current
    // time or the sessions.
    let left: Set<String> = [
      "/api/v1/events", "/metrics", "/healthz", "/api/gpslogger", "/api/osmand", "/api/overland", "/api/v1/sessions",
      "/api/v1/export/all",
    ]
    var paths = Routes.table.filter { $0.methods.contains("GET") && !left.contains($0.path) }.map(\.path)
    paths = paths.flatMap { path -> [String] in
      guard path.contains(where: { $0.isUppercase }) else { return [path] }
      if path.contains("TOKEN") { return [] }
      return ["phone", "van", "home", "imp_1", "cars"].map {
        path.replacing("NAME", with: $0).replacing("ID", with: $0)
      }
    }
    for device in ["phone", "van"] {
      paths += ["gpx", "geojson", "overland", "csv"].map { "/api/v1/export?device=\(device)&format=\($0)" }
      for query in ["", "&detail=20", "&from=2023-11-14", "&bbox=14,45,15,46.1"] {
        paths.append("/api/v1/tracks?device=\(device)\(query)")
      }
      paths.append("/api/v1/timeline/corrections?device=\(device)")
      paths += ["/api/v1/points?device=\(device)&limit=37", "/api/v1/overview?device=\(device)&bbox=14,45,15,47&zoom=12"]
    }
    var responses: [String: String] = [:]
    for path in paths where path.hasPrefix("/api/") {
      for (name, caller) in callers {
        let response = server.send("GET", path, as: caller)
        // Without the id of the request and without ages.
        var text = response.text.replacing(#/"(request_id|now|text)":"[^"]*"|"seconds":\d+/#, with: "")
        // The exports of this test are in the audit log as well.
        if path == "/api/v1/audit" { text = text.replacing(#/\{[^{}]*"action":"GET /api/v1/export"[^{}]*\},?/#, with: "") }
        responses["\(name): \(path)"] = "\(response.status) \(response.headers["content-type"] ?? "") \(text)"
      }
    }
    return responses
  }
}
