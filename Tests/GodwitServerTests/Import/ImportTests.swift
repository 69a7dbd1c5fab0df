import Foundation
import GodwitFiles
import GodwitModel
import GodwitText
import GodwitTracks
import Testing

@testable import GodwitAccounts
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

/// A folder for files to import; it is deleted at the end of its lifetime.
struct ImportFolder: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-import-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ name: String, _ text: String) throws -> ImportSource {
    let file = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return try ImportSource(path: file.path)
  }

  /// CSV lines one second apart, of two devices. With `faults`, every tenth line has an invalid position.
  static func lines(_ count: Int, faults: Bool = false) -> String {
    var text = "time,lat,lon,device id\n"
    for index in 0..<count {
      let latitude = faults && index % 10 == 9 ? 146 : 46
      text += "\(1_700_000_000 + index),\(latitude).0\(index % 1000),14.5,\(index % 3 == 0 ? "van" : "bus")\n"
    }
    return text
  }
}

/// Imports a file on the calling thread, as the command does.
func importFile(
  _ source: ImportSource, _ options: ImportOptions, into store: any StoreDatabase, stoppingAfter limit: Int = .max
) throws -> (report: ImportReport, isResumed: Bool) {
  let start = try ImportStart(source, options: options, into: store, at: Date())
  let work = FileImport(into: store, job: start.job, options: options, source: start.file)
  let seen = Counter()
  work.onProgress = { seen.value = $0.report.records }
  work.isCancelled = { seen.value >= limit }
  let report = try work.run()
  try start.end(work.current, problem: nil, in: store, at: Date())
  return (report, start.isResumed)
}

private final class Counter { var value = 0 }

@Suite("Import", .timeLimit(.minutes(20)))
struct ImportTests {
  @Test("repeated imports store every record once", arguments: StoreKind.tested)
  func twice(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let source = try folder.write("a.csv", ImportFolder.lines(30_000, faults: true))
    let options = ImportOptions(device: "phone")
    let first = try importFile(source, options, into: place.store).report
    #expect(first.format == "CSV" && first.records == 27_000 && first.saved == 27_000 && first.duplicates == 0)
    #expect(first.skipped == 3000 && first.reasons.count == 1 && first.reasons.first?.count == 3000)
    #expect(first.reasons.first?.first.first?.place.line == 11)
    let second = try importFile(source, options, into: place.store)
    #expect(second.report.saved == 0 && second.report.duplicates == 27_000 && !second.isResumed)
    let summary = try #require(try place.store.devices().first)
    #expect(summary.points == 27_000 && summary.device.name == "phone")
    #expect(summary.lastContact == nil, "the device itself sent no data")
  }

  @Test("an interrupted import continues, with the counts of an uninterrupted one", arguments: StoreKind.tested)
  func resumed(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let source = try folder.write("a.csv", ImportFolder.lines(60_000, faults: true))
    let options = ImportOptions(device: "phone")
    #expect(throws: CancellationError.self) { try importFile(source, options, into: place.store, stoppingAfter: 20_000) }
    let stored = try #require(try place.store.devices().first?.points)
    #expect(stored >= 20_000 && stored < 54_000)
    let begun = try place.store.read { try ImportTables.newest(before: nil, limit: 1, $0) }
    let job = try #require(begun.first)
    #expect(job.state == .running && job.report.saved == stored && job.checkpoint?.records == stored)
    let rest = try importFile(source, options, into: place.store)
    #expect(rest.isResumed)
    #expect(rest.report.records == 54_000 && rest.report.saved == 54_000 && rest.report.duplicates == 0)
    #expect(rest.report.skipped == 6000 && rest.report.reasons.map(\.count) == [6000])
    #expect(try place.store.devices().first?.points == 54_000)
    let ended = try place.store.read { try ImportTables.newest(before: nil, limit: 9, $0) }
    #expect(ended.map(\.state) == [.done])
  }

  @Test("an import of a changed file starts again", arguments: StoreKind.tested)
  func changed(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let options = ImportOptions(device: "phone")
    let source = try folder.write("a.csv", ImportFolder.lines(60_000))
    #expect(throws: CancellationError.self) { try importFile(source, options, into: place.store, stoppingAfter: 20_000) }
    let shorter = try folder.write("a.csv", ImportFolder.lines(30_000))
    let result = try importFile(shorter, options, into: place.store)
    #expect(!result.isResumed && result.report.records == 30_000 && result.report.duplicates > 0)
    let known = try place.store.read { try ImportTables.newest(before: nil, limit: 9, $0) }
    #expect(known.count == 1)
  }

  @Test("an import maps the devices in one file to the chosen ones", arguments: StoreKind.tested)
  func mapping(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let source = try folder.write("a.csv", ImportFolder.lines(9000))
    let some = try importFile(source, ImportOptions(device: nil, mapping: ["van": "white van"]), into: place.store).report
    #expect(some.saved == 3000 && some.unmapped == 6000 && some.devices == ["van": 3000, "bus": 6000])
    let all = try importFile(source, ImportOptions(device: "rest", mapping: ["van": "white van"]), into: place.store).report
    #expect(all.saved == 6000 && all.duplicates == 3000 && all.unmapped == 0)
    let counts = try place.store.devices().map { "\($0.device.name) \($0.points)" }
    #expect(counts == ["rest 6000", "white van 3000"])
  }

  @Test("an import stores no point in a private zone", arguments: StoreKind.tested)
  func zones(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let home = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    let options = PrivacyZone.Options(name: "home", shape: .circle(Circle(center: home, radius: 1000)), action: .drop)
    _ = try await place.store.write { try ZoneTable.add(options, of: nil, at: walkStart, $0) }
    let source = try folder.write(
      "a.csv", "time,lat,lon\n1700000000,46.05,14.5\n1700000001,46.051,14.501\n1700000002,47,14.5\n")
    let report = try importFile(source, ImportOptions(device: "phone"), into: place.store).report
    #expect(report.records == 3 && report.saved == 1)
    let device = try #require(try place.store.device(named: "phone"))
    #expect(try place.store.points(PointQuery(device: device.id, limit: 9)).map(\.fix.coordinate.latitude) == [47])
  }

  @Test("an import stores the records before an error in the file", arguments: StoreKind.tested)
  func broken(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let points = (0..<10_000).map {
      #"<trkpt lat="46" lon="14.\#($0)"><time>\#(RFC3339.string(Date(timeIntervalSince1970: 1.7e9 + Double($0))))</time></trkpt>"#
    }
    let source = try folder.write("a.gpx", "<gpx><trk><trkseg>\(points.joined(separator: "\n"))</trkseg></trk>")
    #expect(throws: FormatError.self) { try importFile(source, ImportOptions(device: "phone"), into: place.store) }
    #expect(try place.store.devices().first?.points == 10_000)
  }

  @Test("an import reads the files in a compressed tar archive")
  func archive() throws {
    let place = try ContractStore(.sqlite)
    defer { place.end() }
    let folder = try ImportFolder()
    let path = folder.url.appendingPathComponent("takeout.tar.zst").path
    let tar = try TarWriter(path, time: 0)
    try tar.add("Takeout/a.csv", Array(ImportFolder.lines(1000, faults: true).utf8))
    try tar.add("Takeout/archive_browser.html", Array("<html>".utf8))
    try tar.add("Takeout/b.csv", Array("time,lat,lon\n1600000000,46,14\n".utf8))
    try tar.finish()
    let report = try importFile(ImportSource(path: path), ImportOptions(device: "phone"), into: place.store).report
    #expect(report.saved == 901 && report.skipped == 101 && report.format == "CSV")
    let places = report.reasons.flatMap(\.first).map(\.place.description)
    #expect(places.contains { $0.hasPrefix("Takeout/a.csv, line 11, byte") }, "\(places)")
    #expect(places.contains { $0.hasPrefix("Takeout/archive_browser.html") }, "\(places)")
  }

  @Test("a cancelled import stores no further records", arguments: StoreKind.tested)
  func cancelled(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let source = try folder.write("a.csv", ImportFolder.lines(60_000))
    let options = ImportOptions(device: "phone")
    let start = try ImportStart(source, options: options, into: place.store, at: Date())
    let work = FileImport(into: place.store, job: start.job, options: options, source: start.file)
    let (store, id, seen) = (place.store, start.job.id, Counter())
    work.onProgress = { progress in
      seen.value += 1
      if seen.value == 3 { _ = try? store.writeAndWait { try ImportTables.set(id, .cancelled, at: Date(), $0) } }
    }
    #expect(throws: ImportConflict.self) { try work.run() }
    let points = try #require(try store.devices().first?.points)
    #expect(points < 60_000)
    let job = try store.read { try ImportTables.job(id, $0) }
    #expect(job?.state == .cancelled && job?.report.saved == points)
  }

  @Test(
    "an import without usable records ends in a separate state and reports the contents of the file", arguments: StoreKind.tested)
  func unusable(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    let options = ImportOptions(device: "phone")
    let source = try folder.write(
      "a.gpx", #"<gpx><wpt lat="1" lon="1"/><wpt lat="1" lon="1"/><rte><rtept lat="1" lon="1"/></rte></gpx>"#)
    let report = try importFile(source, options, into: place.store).report
    #expect(!report.isUsable && report.unused?.waypoints == 2 && report.unused?.routePoints == 1)
    #expect(report.nothingUsable.contains("2 waypoints, 1 point of a planned route"))
    let job = try #require(try place.store.read { try ImportTables.newest(before: nil, limit: 1, $0) }.first)
    #expect(job.state == .nothingUsable)
    // A job of an earlier version has no such counts.
    let old = #"{"records":3,"saved":3,"duplicates":0,"withoutTime":0,"unmapped":0,"skipped":0,"reasons":[],"devices":{}}"#
    #expect(try JSONDecoder().decode(ImportReport.self, from: Data(old.utf8)).unused == nil)
  }

  @Test("an import stores a nested visit that starts at the same time", arguments: StoreKind.tested)
  func subVisits(_ kind: StoreKind) throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let folder = try ImportFolder()
    func visit(_ level: Int, _ at: String) -> String {
      """
      {"startTime":"2024-12-27T13:39:37+01:00","endTime":"2024-12-28T05:43:23+01:00","visit":{"hierarchyLevel":"\(level)",\
      "probability":"0.9","topCandidate":{"probability":"0.9","semanticType":"Home","placeID":"x","placeLocation":"geo:\(at)"}}}
      """
    }
    let source = try folder.write("a.json", "[\(visit(0, "45.5,14.5")),\(visit(1, "45.51,14.51"))]")
    let options = ImportOptions(device: "phone")
    let first = try importFile(source, options, into: place.store).report
    #expect(first.saved == 2 && first.duplicates == 0)
    let second = try importFile(source, options, into: place.store).report
    #expect(second.saved == 0 && second.duplicates == 2)
  }

  @Test(
    "reasons that differ only in values are grouped",
    arguments: [
      ("latitude 146.0, longitude -14.5 is not a valid position", "latitude #, longitude # is not a valid position"),
      (
        "\"2026-31-31\" is not a time; expected one such as 2026-11-20T08:30:00Z",
        "\"…\" is not a time; expected one such as 2026-11-20T08:30:00Z"
      ),
      ("the checksum is 4A, the sentence says 4B", "the checksum is #, the sentence says #"),
      ("expected 7 fields, found 3", "expected # fields, found #"), ("no NMEA sentence", "no NMEA sentence"),
    ])
  func kinds(_ reason: String, _ kind: String) {
    #expect(ImportReport.kind(of: reason) == kind)
  }

  @Test("the device of a record is found by the name in an app's own fields")
  func sources() throws {
    let place = try coordinate(46, 14)
    var record = Record(
      kind: .fix(Fix(time: walkStart, coordinate: place)), extras: #"{"tid":"ab","topic":"owntracks/me/phone"}"#)
    #expect(SourceDevice.name(of: record) == "owntracks/me/phone")
    record.extras = #"{"tid":"ab"}"#
    #expect(SourceDevice.name(of: record) == "ab")
    record.context.deviceID = "17"
    #expect(SourceDevice.name(of: record) == "17")
    #expect(SourceDevice.name(of: Record(kind: .fix(Fix(time: walkStart, coordinate: place)), extras: #"{"tid":7}"#)) == nil)
  }
}
