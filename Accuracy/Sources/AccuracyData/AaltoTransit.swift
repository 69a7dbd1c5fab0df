package import Foundation
package import GodwitModel
package import GodwitModes

/// Positions of eight Android phones that were carried in the public transport of Helsinki on 26 August 2016, with a log that
/// the participants wrote by hand (Rinne, Bagheri, Tolvanen, Hollmén: Automatic recognition of public transport trips from mobile device
/// sensor data and transport infrastructure information, 2017).
///
/// The repository `aalto-trafficsense/public-transport-dataset` has it under CC BY 4.0. The folder is its `csv`. The times of all files
/// are local times of Helsinki, and most times of the log are whole minutes; here they are read as if they were UTC.
package struct AaltoTransit {
  /// The vehicle of a ride.
  package enum Line: String, Sendable, CaseIterable {
    case subway = "SUBWAY"
    case bus = "BUS"
    case tram = "TRAM"
    case train = "TRAIN"
    case car = "CAR"

    /// The kind of transport; `nil` for trams, which the model has not learned.
    package var kind: TransportKind? {
      switch self {
      case .subway: .subway
      case .bus: .bus
      case .tram: nil
      case .train: .train
      case .car: .car
      }
    }
  }

  /// A position of Android's fused provider, with the activity of which Android was most certain.
  package struct Position: Sendable {
    package var device: Int
    package var time: Date
    package var coordinate: Coordinate
    /// Metres.
    package var accuracy: Double
    /// The value in the set, such as `IN_VEHICLE`, `STILL` or `UNKNOWN`.
    package var activity: String
    /// The activity that the set's authors chose; `nil` for a position that they excluded.
    package var decided: String?
  }

  /// A ride in one vehicle, according to the log.
  package struct Leg: Sendable {
    package var device: Int
    package var line: Line
    package var departure: Date
    package var arrival: Date
  }

  /// A part of a trip as the set's authors recognized it, by each of their methods: with the positions of vehicles in two variants, and
  /// with timetables.
  package struct Recognized: Sendable {
    package var device: Int
    package var start: Date
    package var end: Date
    /// One for each of ``AaltoTransit/methods``; `nil` if a method found no line.
    package var lines: [Line?]
  }

  package static let methods = ["positions of vehicles, first", "positions of vehicles, second", "timetables"]

  /// The positions of each device, in order of time.
  package let positions: [Int: [Position]]
  /// Sorted by device and time.
  package let legs: [Leg]
  package let recognized: [Recognized]
  /// The names of the files that were read.
  package let files = ["device_data.csv", "device_data_filtered.csv", "manual_log.csv", "recognised-summary.csv"]

  /// - Throws: ``DatasetError`` for a file that is missing or has an invalid row.
  package init(folder: URL) throws(DatasetError) {
    positions = try Self.positions(in: folder)
    legs = try Self.legs(in: CSVTable(folder.appendingPathComponent("manual_log.csv")))
    recognized = try Self.recognized(in: CSVTable(folder.appendingPathComponent("recognised-summary.csv")))
  }

  // MARK: Files

  private struct Key: Hashable {
    var device: Int
    var time: Date
  }

  private static func positions(in folder: URL) throws(DatasetError) -> [Int: [Position]] {
    let filtered = try CSVTable(folder.appendingPathComponent("device_data_filtered.csv"))
    var (time, device, activity) = try (filtered.column("time"), filtered.column("device_id"), filtered.column("activity"))
    var decided: [Key: String] = [:]
    for row in filtered.rows {
      guard let date = date(row.values[time]), let number = Int(row.values[device]) else {
        throw filtered.error(row, "has no time or device")
      }
      decided[Key(device: number, time: date)] = row.values[activity]
    }
    let table = try CSVTable(folder.appendingPathComponent("device_data.csv"))
    (time, device, activity) = try (table.column("time"), table.column("device_id"), table.column("activity_1"))
    let (latitude, longitude, accuracy) = try (table.column("lat"), table.column("lng"), table.column("accuracy"))
    var positions: [Int: [Position]] = [:]
    for row in table.rows {
      guard let date = date(row.values[time]), let number = Int(row.values[device]), let north = Double(row.values[latitude]),
        let east = Double(row.values[longitude]), let coordinate = Coordinate(latitude: north, longitude: east),
        let radius = Double(row.values[accuracy]), radius.isFinite
      else { throw table.error(row, "is no time, device, position and accuracy") }
      positions[number, default: []].append(
        Position(
          device: number, time: date, coordinate: coordinate, accuracy: radius, activity: row.values[activity],
          decided: decided[Key(device: number, time: date)]))
    }
    return positions.mapValues { $0.sorted { $0.time < $1.time } }
  }

  private static func legs(in table: CSVTable) throws(DatasetError) -> [Leg] {
    let (device, line) = try (table.column("device_id"), table.column("line_type"))
    let (departure, arrival) = try (table.column("vehicle_dep_time"), table.column("vehicle_arr_time"))
    var legs: [Leg] = []
    for row in table.rows {
      guard let number = Int(row.values[device]), let line = Line(rawValue: row.values[line]),
        let start = date(row.values[departure]), let end = date(row.values[arrival]), start < end
      else { throw table.error(row, "is no device, line, departure and later arrival") }
      legs.append(Leg(device: number, line: line, departure: start, arrival: end))
    }
    return legs.sorted { ($0.device, $0.departure) < ($1.device, $1.departure) }
  }

  private static func recognized(in table: CSVTable) throws(DatasetError) -> [Recognized] {
    let (device, start, end) = try (table.column("device_id"), table.column("time_start"), table.column("time_end"))
    let columns = try [table.column("ol_line_type"), table.column("nl_line_type"), table.column("st_line_type")]
    // The numbers of devices in this file, according to the set's psql/import-recognised.sql.
    let devices = ["126": 1, "128": 2, "132": 3, "170": 4, "174": 5, "178": 6, "179": 7, "180": 8]
    var recognized: [Recognized] = []
    for row in table.rows {
      guard let number = devices[row.values[device]], let from = date(row.values[start]), let to = date(row.values[end]) else {
        throw table.error(row, "is no device of the set, start and end")
      }
      recognized.append(
        Recognized(device: number, start: from, end: to, lines: columns.map { Line(rawValue: row.values[$0]) }))
    }
    return recognized
  }

  /// Parses a time such as "2016-08-26 09:00:00.206".
  private static func date(_ text: String) -> Date? { RFC3339.date(text + "Z") }
}
