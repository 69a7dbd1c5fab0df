import Foundation
import GodwitModes
import Testing

@testable import AccuracyData

@Suite("The loader of rides in public transport")
struct AaltoTransitTests {
  private static let heads = [
    "device_data.csv": "\"time\",\"device_id\",\"lat\",\"lng\",\"accuracy\",\"activity_1\",\"activity_1_conf\"\n",
    "device_data_filtered.csv": "\"time\",\"device_id\",\"lat\",\"lng\",\"activity\"\n",
    "manual_log.csv": "device_id,line_type,vehicle_dep_time, vehicle_arr_time,comments\n",
    "recognised-summary.csv": "device_id,time_start,time_end,activity,ol_line_type,nl_line_type,st_line_type\n",
  ]
  private static let rows = [
    "device_data.csv": """
    "2016-08-26 09:00:10",2,60.2,24.9,12.5,"IN_VEHICLE",80
    "2016-08-26 09:00:00.25",2,60.1,24.8,5,"STILL",75
    "2016-08-26 09:00:05",1,60.3,24.7,5,"UNKNOWN",75
    """,
    "device_data_filtered.csv": "\"2016-08-26 09:00:00.25\",2,60.1,24.8,\"WALKING\"\n",
    "manual_log.csv": """
    2,TRAM,"2016-08-26 09:30:00","2016-08-26 09:40:00","late,
    and full"
    2,SUBWAY,"2016-08-26 09:05:00","2016-08-26 09:12:30",
    1,CAR,"2016-08-26 10:05:00","2016-08-26 10:12:00",
    """,
    "recognised-summary.csv": "128,\"2016-08-26 09:04:00\",\"2016-08-26 09:13:00\",IN_VEHICLE,,SUBWAY,BUS\n",
  ]

  private static func folder(_ changes: [String: String] = [:]) throws -> TemporaryFolder {
    try TemporaryFolder(heads.merging(rows.merging(changes) { $1 }) { $0 + $1 })
  }

  @Test("positions have the activities of both files, and rides and recognized parts are assigned to their phone")
  func read() throws {
    let folder = try Self.folder()
    defer { withExtendedLifetime(folder) {} }
    let data = try AaltoTransit(folder: folder.url)
    let positions = try #require(data.positions[2])
    #expect(data.positions.count == 2 && positions.map(\.activity) == ["STILL", "IN_VEHICLE"])
    #expect(positions.map(\.decided) == ["WALKING", nil] && positions[1].accuracy == 12.5)
    #expect(positions[1].time.timeIntervalSince(positions[0].time) == 9.75)
    #expect(data.legs.map(\.line) == [.car, .subway, .tram] && data.legs.map(\.line.kind) == [.car, .subway, nil])
    #expect(data.legs[1].arrival.timeIntervalSince(data.legs[1].departure) == 450)
    #expect(data.recognized.map(\.device) == [2] && data.recognized[0].lines == [nil, .subway, .bus])
  }

  @Test(
    "an invalid row is reported with its file and line",
    arguments: [
      ("device_data.csv", "\"yesterday\",2,60.2,24.9,12.5,\"STILL\",80\n"),
      ("device_data.csv", "\"2016-08-26 09:00:10\",2,60.2,1e300,12.5,\"STILL\",80\n"),
      ("device_data.csv", "\"2016-08-26 09:00:10\",2,nan,24.9,12.5,\"STILL\",80\n"),
      ("device_data.csv", "\"2016-08-26 09:00:10\",2,60.2,24.9,inf,\"STILL\",80\n"),
      ("device_data.csv", "\"2016-08-26 09:00:10\",99999999999999999999,60.2,24.9,5,\"STILL\",80\n"),
      ("device_data_filtered.csv", "\"2016-08-26 09:00:10\",two,60.2,24.9,\"STILL\"\n"),
      ("manual_log.csv", "2,FERRY,\"2016-08-26 09:30:00\",\"2016-08-26 09:40:00\",\n"),
      ("manual_log.csv", "2,TRAM,\"2016-08-26 09:30:00\",\"2016-08-26 09:30:00\",\n"),
      ("manual_log.csv", "2,TRAM,\"2016-08-26 09:30:00\",,\n"),
      ("recognised-summary.csv", "2,\"2016-08-26 09:30:00\",\"2016-08-26 09:40:00\",IN_VEHICLE,,,\n"),
    ])
  func wrong(file: String, row: String) throws {
    let folder = try Self.folder([file: row])
    defer { withExtendedLifetime(folder) {} }
    let error = try #require(throws: DatasetError.self) { try AaltoTransit(folder: folder.url) }
    #expect(error.description.contains("\(file): line 2 "))
  }

  @Test("a missing file is reported")
  func missing() throws {
    let folder = try TemporaryFolder(Self.heads.filter { $0.key != "manual_log.csv" })
    defer { withExtendedLifetime(folder) {} }
    let error = try #require(throws: DatasetError.self) { try AaltoTransit(folder: folder.url) }
    #expect(error.description.contains("manual_log.csv"))
  }
}
