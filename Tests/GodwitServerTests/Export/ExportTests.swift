import Foundation
import GodwitFiles
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Export", .timeLimit(.minutes(20)))
struct ExportTests {
  /// A point with all members, a point with only the required ones, a visit and a region event.
  private static func records() throws -> [Record] {
    let full = Fix(
      time: walkStart, coordinate: try coordinate(46.1234567, 14.7654321), horizontalAccuracy: 4.25, altitude: 312.5,
      verticalAccuracy: 3.5, speed: 1.25, speedAccuracy: 0.5, course: 271.5, courseAccuracy: 10)
    let context = DeviceContext(
      batteryLevel: 0.75, batteryState: .charging, motion: [.walking], wifi: "Zum \"Löwen\", 2", tripID: "t1",
      deviceID: "phone-1", uniqueID: "u1")
    let later = walkStart.addingTimeInterval(60)
    let bare = Fix(time: later, coordinate: try coordinate(-46, -14))
    let start = try coordinate(46, 14)
    let visit = Visit(
      time: walkStart.addingTimeInterval(120), coordinate: start, horizontalAccuracy: 20,
      arrival: walkStart.addingTimeInterval(-600),
      departure: walkStart.addingTimeInterval(120))
    let event = RegionEvent(
      time: later, kind: .entered, region: RegionMention(id: "home", name: "Home", tags: [], center: start, radius: 100),
      coordinate: start, horizontalAccuracy: 5)
    return [
      Record(id: RecordID(journal: 7, sequence: 3), kind: .fix(full), context: context, extras: #"{"odd":[1,"ü"]}"#),
      Record(kind: .fix(bare)), Record(kind: .visit(visit)), Record(kind: .region(event)),
    ]
  }

  /// All points and events of the device "phone" in a store.
  private static func contents(_ store: any StoreDatabase) throws -> [Record] {
    let device = try #require(try store.device(named: "phone"))
    let points = try store.allPoints(PointQuery(device: device.id, limit: 100)).map(\.record)
    return points + (try store.events(device: device.id, from: nil, to: nil))
  }

  private static func exported(_ format: RecordWriter.Format, of store: any StoreDatabase) throws -> String {
    let device = try #require(try store.device(named: "phone"))
    var export = try RecordExport(of: device, as: format, from: nil, to: nil, in: store)
    var bytes: [UInt8] = []
    while let piece = try export.next() { bytes += piece }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Imports the export of one store into another one. Returns the contents of both stores.
  private static func roundTrip(
    _ format: RecordWriter.Format, _ kind: StoreKind
  ) async throws -> (before: [Record], after: [Record]) {
    let (first, second) = (try ContractStore(kind), try ContractStore(kind))
    defer {
      first.end()
      second.end()
    }
    _ = try await first.store.store(try records(), of: first.store.makeDevice("phone"))
    let folder = try ImportFolder()
    let source = try folder.write("export.\(format.fileExtension)", try exported(format, of: first.store))
    let report = try importFile(source, ImportOptions(device: "phone"), into: second.store).report
    #expect(report.skipped == 0 && report.format == format.read.name, "\(report)")
    return (try contents(first.store), try contents(second.store))
  }

  @Test("importing an export in a lossless format gives an equal store", arguments: [RecordWriter.Format.geojson, .overland])
  func everything(_ format: RecordWriter.Format) async throws {
    for kind in StoreKind.tested {
      let (before, after) = try await Self.roundTrip(format, kind)
      #expect(before.count == 4)
      #expect(after == before)
    }
  }

  /// The part of a record that a format preserves; `nil` if the format omits the record.
  struct Loss: Sendable, CustomTestStringConvertible {
    let format: RecordWriter.Format
    let left: @Sendable (Record) -> Record?
    var testDescription: String { format.rawValue }

    /// A format that preserves fixes only, after a change by `keep`.
    static func fixes(_ format: RecordWriter.Format, _ keep: @escaping @Sendable (inout Record, inout Fix) -> Void) -> Loss {
      Loss(format: format) { record in
        guard case .fix(var fix) = record.kind else { return nil }
        var record = record
        keep(&record, &fix)
        record.kind = .fix(fix)
        return record
      }
    }
  }

  private static func strip(_ record: inout Record) {
    (record.id, record.context, record.extras) = (nil, DeviceContext(), nil)
  }

  static let lossy: [Loss] = [
    .fixes(.csv) { _, _ in },
    .fixes(.gpx) { record, fix in
      strip(&record)
      (fix.horizontalAccuracy, fix.verticalAccuracy, fix.speedAccuracy, fix.courseAccuracy) = (nil, nil, nil, nil)
    },
    .fixes(.tcx) { record, fix in
      strip(&record)
      (fix.horizontalAccuracy, fix.verticalAccuracy, fix.speedAccuracy, fix.courseAccuracy) = (nil, nil, nil, nil)
      fix.course = nil
    },
    .fixes(.plt) { record, fix in
      strip(&record)
      (fix.horizontalAccuracy, fix.verticalAccuracy, fix.speedAccuracy, fix.courseAccuracy) = (nil, nil, nil, nil)
      (fix.speed, fix.course) = (nil, nil)
    },
    Loss(format: .kml) { record in
      var record = record
      strip(&record)
      if case .fix(var fix) = record.kind {
        (fix.speedAccuracy, fix.courseAccuracy) = (nil, nil)
        record.kind = .fix(fix)
        return record
      }
      if case .visit = record.kind { return record }
      return nil
    },
  ]

  @Test("an export in another format loses only the data that its documentation lists", arguments: lossy)
  func lossOfOne(_ loss: Loss) async throws {
    let (before, after) = try await Self.roundTrip(loss.format, .sqlite)
    let expected = before.compactMap(loss.left)
    #expect(after.count == expected.count)
    for (found, wanted) in zip(after, expected) {
      if case .visit(let a) = found.kind, case .visit(let b) = wanted.kind {
        #expect(a.arrival == b.arrival && a.departure == b.departure && a.coordinate == b.coordinate)
      } else {
        #expect(found == wanted)
      }
    }
  }

  @Test("an export in a format that rounds gives nearly equal positions", arguments: [RecordWriter.Format.nmea, .owntracks])
  func rounded(_ format: RecordWriter.Format) async throws {
    let (before, after) = try await Self.roundTrip(format, .sqlite)
    let fixes = before.compactMap { if case .fix(let fix) = $0.kind { fix } else { nil } }
    let found = after.compactMap { if case .fix(let fix) = $0.kind { fix } else { nil } }
    #expect(found.count == fixes.count)
    for (a, b) in zip(found, fixes) {
      #expect(abs(a.coordinate.latitude - b.coordinate.latitude) < 2e-7)
      #expect(abs(a.coordinate.longitude - b.coordinate.longitude) < 2e-7)
      #expect(abs(a.time.timeIntervalSince(b.time)) < 1)
      if let speed = b.speed { #expect(abs((a.speed ?? -9) - speed) < 0.2) }
      if let altitude = b.altitude { #expect(abs((a.altitude ?? -9) - altitude) <= 0.5) }
    }
    let regions = after.filter { if case .region = $0.kind { true } else { false } }
    #expect(regions.count == (format == .owntracks ? 1 : 0))
  }

  @Test("an export is streamed, and contains only data that its principal may read", arguments: StoreKind.tested)
  func route(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let (_, token) = try await server.device("phone", of: anna)
      let begin = Date(timeIntervalSince1970: 1_700_000_000)
      let places = (0..<12_000).map { (step: Int) in (latitude: 46.0 + Double(step) * 1e-5, longitude: 14.5) }
      try server.upload(token, places, from: begin)
      let asAnna = try await server.session(of: anna)
      let response = server.send("GET", "/api/v1/export?device=phone&format=csv&from=2023-11-15", as: asAnna)
      #expect(response.status == 200 && response.headers["content-type"] == "text/csv; charset=utf-8")
      #expect(response.headers["content-disposition"] == #"attachment; filename="phone.csv""#)
      let lines = response.text.split(whereSeparator: \.isNewline)
      let from = Date(timeIntervalSince1970: 1_700_006_400)
      #expect(lines.count == 1 + (0..<12_000).count { begin.addingTimeInterval(Double($0) * 60) >= from })
      let asBen = try await server.session(of: ben)
      #expect(server.send("GET", "/api/v1/export?device=phone&format=csv", as: asBen).status == 404)
      let wrong = server.send("GET", "/api/v1/export?device=phone&format=doc", as: asAnna)
      #expect(wrong.status == 400 && wrong.text.contains("format=doc: expected one of gpx, kml"))
    }
  }

  @Test(
    "the file name of an export is that of its device, with an exact form as in RFC 8187",
    arguments: [
      ("phone", #"filename="phone.csv""#), ("日本", #"filename="--.csv"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.csv"#),
      ("annas phone-2", #"filename="annas-phone-2.csv"; filename*=UTF-8''annas%20phone-2.csv"#),
      ("a.b_c@d", #"filename="a-b-c-d.csv"; filename*=UTF-8''a.b_c%40d.csv"#),
    ])
  func disposition(_ name: String, _ expected: String) {
    #expect(ExportAPI.disposition(name: name, extension: "csv") == "attachment; " + expected)
  }
}
