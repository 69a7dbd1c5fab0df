import Foundation
import GodwitModel
import GodwitWire

/// Writing fixes in each format of the endpoints, compared with JSONEncoder and the same objects.
enum WriterBenchmarks {
  static func all() throws -> [Measurement] {
    let records = records(200)
    let encoder = JSONEncoder()
    let objects = records.map(CodableLocation.init)
    let other = try speed(of: records.count, rounds: 20) { try encoder.encode(["locations": objects]).count }
    func measured(_ name: String, goal: Double?, _ write: @escaping ([Record], inout [UInt8]) -> Void) -> Measurement {
      let speed = speed(of: records.count, rounds: 200) {
        var bytes: [UInt8] = []
        write(records, &bytes)
        return bytes.count
      }
      return Measurement(
        name: "writing \(name), a batch of 200", value: speed, unit: "records/s", goal: goal,
        comparedTo: "JSONEncoder, as many objects of OpenLocate's: \(Int(other))/s", ratio: speed / other)
    }
    return [
      measured("Overland, precise", goal: 500_000) { Overland.write($0, profile: .precise, into: &$1) },
      measured("Overland, as the app", goal: 500_000) { Overland.write($0, profile: .app, into: &$1) },
      measured("OpenLocate", goal: 500_000) { OpenLocate.write($0, into: &$1) },
      // These formats have one request per record, so that the network limits the rate.
      measured("OwnTracks", goal: nil) { records, bytes in
        for record in records { OwnTracks.write(record, topic: "owntracks/anna/phone", into: &bytes) }
      },
      measured("Data Drop", goal: nil) { records, bytes in for record in records { DataDrop.write(record, into: &bytes) } },
      measured("a query", goal: nil) { records, bytes in
        for record in records { bytes.append(contentsOf: QueryString.encoded(QueryString.items(record)).utf8) }
      },
    ]
  }

  /// Records per second, in the fastest of five runs.
  private static func speed(of count: Int, rounds: Int, _ write: () throws -> Int) rethrows -> Double {
    let seconds = try fastest(of: 5) { for _ in 0..<rounds { consume(try write()) } }
    return Double(count * rounds) / seconds
  }

  private static func records(_ count: Int) -> [Record] {
    (0..<count).map { i in
      // Valid: places in Europe.
      let place = Coordinate(latitude: 45.4 + Double(i) * 0.0000987, longitude: 14 + Double(i) * 0.0001234)!
      var record = Record(
        id: RecordID(journal: 0x9F86_D081_884C_7D65, sequence: RecordNumber(clamping: Int64(i + 1))),
        kind: .fix(
          Fix(
            time: Date(timeIntervalSince1970: 1_795_163_400 + Double(i)), coordinate: place,
            horizontalAccuracy: 4.5 + Double(i % 8), altitude: 700.25 + Double(i % 50), verticalAccuracy: 3.2,
            speed: 1.42, speedAccuracy: 0.42, course: Double(i % 360), courseAccuracy: 3.1)),
        context: DeviceContext(
          batteryLevel: 0.81, batteryState: .unplugged, motion: [.walking], wifi: "", deviceID: "walker"))
      record.received = record.time
      return record
    }
  }
}

/// OpenLocate's object for `JSONEncoder`. The names are those of the JSON, because JSONEncoder is fastest without a mapping of names.
// swift-format-ignore: AlwaysUseLowerCamelCase
private struct CodableLocation: Encodable {
  var location_context = "regular"
  var latitude: Double?
  var longitude: Double?
  var utc_timestamp: Int
  var utc_timestamp_received: Int
  var horizontal_accuracy: Double?
  var vertical_accuracy: Double?
  var altitude: Double?
  var course: Double?
  var speed: Double?
  var is_charging: Bool
  var id: String?

  init(_ record: Record) {
    if case .fix(let fix) = record.kind {
      latitude = fix.coordinate.latitude
      longitude = fix.coordinate.longitude
      horizontal_accuracy = fix.horizontalAccuracy
      vertical_accuracy = fix.verticalAccuracy
      altitude = fix.altitude
      course = fix.course
      speed = fix.speed
    }
    utc_timestamp = Int(record.time.timeIntervalSince1970)
    utc_timestamp_received = utc_timestamp
    is_charging = record.context.batteryState == .charging
    id = record.id?.description
  }
}
