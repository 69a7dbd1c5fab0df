import Foundation
import GodwitFiles
internal import GodwitIntake
import GodwitModel
import GodwitServer
import GodwitStore
import GodwitWire

/// A reader of input that other programs write.
struct Decoder: Sendable {
  var name: String
  /// The prefixes of the names of its seeds.
  var seeds: [String]
  /// Reads a text. An error that it throws is a correct result.
  /// - Returns: the fault of the result; `nil` if there is none.
  var read: @Sendable ([UInt8]) throws -> String?

  private static let received = Date(timeIntervalSince1970: 1_795_000_000)

  /// The decoders of all formats that a server reads from clients, and of all file formats.
  static let all: [Decoder] = requests + regions + files + cells

  private static let requests: [Decoder] = [
    Decoder(name: "overland", seeds: ["overland"]) { bytes in
      try faultOfRoundTrip(Overland.read(bytes).records, .overland)
    },
    Decoder(name: "openlocate", seeds: ["openlocate"]) { bytes in
      try faultOfRoundTrip(OpenLocate.read(bytes, received: received).records, .overland)
    },
    Decoder(name: "colota", seeds: ["colota"]) { bytes in
      try faultOfRoundTrip(Colota.read(bytes, received: received).records, .overland)
    },
    Decoder(name: "osmand", seeds: ["osmand"]) { bytes in
      // GPSLogger's format as well: only the unit of the speed differs.
      for speed in [OsmAnd.Speed.knots, .metersPerSecond] {
        if let fault = faultOfRoundTrip(try OsmAnd.read(bytes, speed: speed, received: received).batch.records, .overland) {
          return fault
        }
      }
      return nil
    },
    Decoder(name: "owntracks", seeds: ["owntracks"]) { bytes in
      // Texts that are not messages are also read as a command.
      var fault = (try? faultOfCommand(bytes)) ?? nil
      for message in try OwnTracks.messages(bytes) {
        // Each message is read as every type, not only as the type that it names.
        if let record = try? OwnTracks.readLocation(message.bytes, received: received) {
          fault = fault ?? faultOfRoundTrip([record], .overland)
        }
        if let record = try? OwnTracks.readTransition(message.bytes) { fault = fault ?? faultOfRoundTrip([record], .overland) }
        if let record = try? OwnTracks.readAction(message.bytes, received: received) {
          fault = fault ?? faultOfRoundTrip([record], .overland)
        }
        _ = try? OwnTracks.readCard(message.bytes)
        _ = try? OwnTracks.readEncrypted(message.bytes)
        if let found = try? OwnTracks.readWaypoints(message.bytes, isLenient: true) {
          fault = fault ?? faultOfRoundTrip(found.regions)
        }
      }
      return fault
    },
    Decoder(name: "multipart", seeds: ["multipart"]) { bytes in
      // The first line is the header Content-Type.
      let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
      let type = String(decoding: bytes[..<end], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      let body = Array(bytes[min(end + 1, bytes.endIndex)...])
      let form = try MultipartForm(body, contentType: type)
      guard form.fields.count + form.files.count <= MultipartForm.maximumParts else { return "there are more parts than may be" }
      // An invalid byte is repaired with the three bytes of U+FFFD.
      let size = form.fields.reduce(0) { $0 + $1.value.utf8.count / 3 } + form.files.reduce(0) { $0 + $1.size }
      guard size <= body.count else { return "the parts have more bytes than the form" }
      let text = Array(QueryString.encoded(form.fields).utf8)
      return faultOfRoundTrip(try OsmAnd.read(text, speed: .metersPerSecond, received: received).batch.records, .overland)
    },
    Decoder(name: "numbers", seeds: ["numbers"]) { bytes in
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) {
        if let range = SequenceRange(line) {
          if SequenceRange(range.description) != range { return "\(line) is written as another range" }
          if range.numbers.count < 1 { return "\(line) has no numbers" }
        }
        if let id = RecordID(line), RecordID(id.description) != id { return "\(line) is written as another identifier" }
        if let cursor = PointCursor(line), PointCursor(cursor.description) != cursor {
          return "\(line) is written as another cursor"
        }
        for text in line.split(separator: " ") {
          if let time = EpochMilliseconds(text), time.next?.previous != time, time != .max { return "\(text) has no next moment" }
        }
      }
      return nil
    },
    Decoder(name: "settings", seeds: ["settings"]) { bytes in
      let text = String(decoding: bytes.prefix(40), as: UTF8.self)
      if let date = RFC3339.date(text), RFC3339.date(RFC3339.string(date)) == nil {
        return "\(text) is a time that is written as none"
      }
      let settings = try DesiredSettings(json: bytes)
      return try DesiredSettings(json: Array(settings.set.utf8)) == settings
        ? nil : "written and read again it is another order"
    },
  ]

  /// Checks that the command that an app receives can be read again as a command.
  private static func faultOfCommand(_ bytes: [UInt8]) throws -> String? {
    let command = try OwnTracks.command(bytes)
    do { return try OwnTracks.type(command) == "cmd" ? nil : "the command is another message" } catch {
      return "the command cannot be read: \(error)"
    }
  }

  private static let regions: [Decoder] = [
    Decoder(name: "regions", seeds: ["regions", "owntracks-waypoints"]) { bytes in
      try faultOfRoundTrip(RegionFile.read(bytes, defaultRadius: 100).regions)
    }
  ]

  private static let files: [Decoder] = RecordFormat.allCases.map { format in
    Decoder(name: "file-\(format.rawValue)", seeds: [format.rawValue + "-"]) { bytes in
      let whole = Reading(bytes, piece: bytes.count)
      // The result must not depend on the size of the pieces.
      let pieces = Reading(bytes, piece: 61)
      if whole.records != pieces.records {
        return "\(whole.records.count) records at once, \(pieces.records.count) in pieces, or others"
      }
      if whole.error != pieces.error { return "at once: \(whole.error ?? "nothing"); in pieces: \(pieces.error ?? "nothing")" }
      for format in RecordWriter.Format.allCases { if let fault = faultOfRoundTrip(whole.records, format) { return fault } }
      return nil
    }
  }

  /// Cells of a table, one per line: for any content, the hemisphere in the next cell decides the sign, and values have limits.
  private static let cells: [Decoder] = [
    Decoder(name: "csv-cells", seeds: ["csvCells-"]) { bytes in
      for line in bytes.split(separator: 0x0A).prefix(50) {
        let cell = "\"" + String(decoding: line.prefix(100), as: UTF8.self).replacing("\"", with: "\"\"") + "\""
        let (north, south) = (latitude(cell, "N"), latitude(cell, "S"))
        if let north, let south, north != -south { return "\(cell) is \(north) in the north and \(south) in the south" }
        if north.map({ $0 < 0 || $0 > 90 }) ?? false { return "\(cell) in the north is \(north ?? 0)" }
        let table = "time,date,lat,lon,height,speed,accuracy,battery,course\n"
        let row = "2026-11-20T08:30:00Z,,45,14,\(cell),\(cell),\(cell),\(cell),\(cell)\n,\(cell),45,14,,,,,\n"
        let reading = Reading(Array((table + row).utf8), piece: 61)
        for record in reading.records {
          guard case .fix(let fix) = record.kind, (0...7_258_118_400).contains(record.time.timeIntervalSince1970),
            [fix.altitude, fix.speed, fix.horizontalAccuracy, fix.course].allSatisfy({ $0.map(\.isFinite) ?? true })
          else { return "\(cell) became a record without limits" }
        }
        if let fault = faultOfRoundTrip(reading.records, .overland) { return fault }
      }
      return nil
    }
  ]

  private static func latitude(_ cell: String, _ hemisphere: String) -> Double? {
    let table = "time,lat,ns,lon\n2026-11-20T08:30:00Z,\(cell),\(hemisphere),14\n"
    guard case .fix(let fix)? = Reading(Array(table.utf8), piece: 4096).records.first?.kind else { return nil }
    return fix.coordinate.latitude
  }

  /// Checks that records that were read can be written, and in Overland's format read again with the same number.
  /// - Returns: the fault; `nil` if there is none.
  private static func faultOfRoundTrip(_ records: [Record], _ format: RecordWriter.Format) -> String? {
    // An action without a place is not written, because Overland's format requires a place.
    let records = records.filter { record in
      if case .action(let action) = record.kind, action.coordinate == nil { return false }
      return format.carries(record)
    }
    guard !records.isEmpty else { return nil }
    var bytes: [UInt8] = []
    var writer = RecordWriter(format, device: "fuzz")
    writer.header(into: &bytes)
    for record in records { writer.append(record, into: &bytes) }
    writer.footer(into: &bytes)
    // Only the format that Godwit itself uses guarantees that all records can be read again.
    guard format == .overland else { return nil }
    let read: Overland.Request
    do { read = try Overland.read(bytes) } catch { return "written as \(format.rawValue) it cannot be read: \(error)" }
    if let broken = read.broken { return "written as \(format.rawValue) it is no JSON: \(broken)" }
    if let rejected = read.rejected.first {
      return "written as \(format.rawValue) it is refused: \(rejected.reason) (\(rejected.place))"
    }
    return read.records.count == records.count ? nil : "\(records.count) records were written, \(read.records.count) are read"
  }

  /// Checks that regions that were read can be written and read again.
  /// - Returns: the fault; `nil` if there is none.
  private static func faultOfRoundTrip(_ regions: [Region]) -> String? {
    guard !regions.isEmpty else { return nil }
    var bytes: [UInt8] = []
    RegionJSON.write(regions, into: &bytes)
    do { return try RegionJSON.read(bytes) == regions ? nil : "written and read again they are other regions" } catch {
      return "what was written cannot be read: \(error)"
    }
  }
}

/// The records that a stream reads from a file, and its error.
private struct Reading {
  var records: [Record] = []
  var error: String?

  init(_ bytes: [UInt8], piece: Int) {
    let stream = RecordStream(name: "fuzz")
    do {
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + max(1, piece))
        try stream.feed(Array(bytes[start..<end]))
        while let some = stream.next() { records += some }
        start = end
      }
      try stream.finish()
    } catch { self.error = "\(error)" }
    while let some = stream.next() { records += some }
  }
}
