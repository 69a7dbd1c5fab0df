internal import Foundation
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

extension StatisticsAPI {
  /// The maximum number of days in a response.
  private static let maximumDays: Int64 = 3660

  /// Selects the days of a year, of a month, or from one day to another.
  struct DayParameters: ParameterList {
    let device: NeededDevice
    let year: YearParameter?
    let month: MonthParameter?
    let from: DayParameter?
    let to: DayParameter?

    static let notes: [String: JSONValue] = [
      "year": "All months of a year.", "month": "All days of a month.", "from": "The first day.", "to": "The day after the last.",
    ]

    /// The selected local dates, in days since 1970.
    func days() throws(Problem) -> Range<Int64> {
      if let year { return year.days }
      if let month { return month.days }
      guard let from, let to else {
        throw Problem(400, "Bad argument", "Give year=2026, month=2026-11, or from=2026-11-01 and to=2026-11-08.")
      }
      guard from.day < to.day else { throw Problem(400, "Bad argument", "to: expected a day after from.") }
      guard to.day - from.day <= maximumDays else {
        throw Problem(400, "Bad argument", "to=\(to.text): \(maximumDays) days at most. Ask for the rest apart.")
      }
      return from.day..<to.day
    }
  }

  struct NeededDevice: ParameterValue {
    let name: String
    static func read(_ name: String, from query: QueryParameters) -> Self? { query.text(name).map { Self(name: $0) } }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
    static let sample = Self(name: "")
    static let parameterDescription = "The device of the days."
    static let problems = [404]
    static func missing(_ name: String) -> Problem {
      Problem(400, "Bad argument", "device is missing: its name. /api/v1/devices lists the existing ones.")
    }
  }

  struct YearParameter: ParameterValue {
    let days: Range<Int64>
    private static let years = 1900...2199
    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard let year = query[name] else { return nil }
      guard let number = Int(year), years.contains(number) else {
        throw Problem(400, "Bad argument", "year=\(year): expected a year, 1900 to 2199.")
      }
      return Self(days: try DayParameter(name, "\(number)-01-01").day..<DayParameter(name, "\(number + 1)-01-01").day)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      ["type": "integer", "minimum": .integer(years.lowerBound), "maximum": .integer(years.upperBound)]
    }
    static let sample = Self(days: 0..<1)
  }

  struct MonthParameter: ParameterValue {
    let days: Range<Int64>
    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard let month = query[name] else { return nil }
      let parts = month.split(separator: "-").compactMap { Int($0) }
      guard month.count == 7, parts.count == 2, (1900...2199).contains(parts[0]), (1...12).contains(parts[1]) else {
        throw Problem(400, "Bad argument", "month=\(month): expected a month such as 2026-11.")
      }
      let next = parts[1] == 12 ? "\(parts[0] + 1)-01-01" : "\(parts[0])-\(parts[1] < 9 ? "0" : "")\(parts[1] + 1)-01"
      return Self(days: try DayParameter(name, month + "-01").day..<DayParameter(name, next).day)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"] }
    static let sample = Self(days: 0..<1)
  }

  struct DayParameter: ParameterValue {
    let text: String
    let day: Int64
    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard let text = query[name] else { return nil }
      return try Self(name, text)
    }
    fileprivate init(_ name: String, _ text: String) throws(Problem) {
      guard text.count == 10, let date = RFC3339.date(text + "T00:00:00Z"), (1900...2200).contains(Int(text.prefix(4)) ?? 0)
      else {
        throw Problem(400, "Bad argument", "\(name)=\(text): expected a day such as 2026-11-20.")
      }
      self.text = text
      day = DirtyDays.day(of: date.millisecondsSince1970)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "format": "date"] }
    static var sample: Self { get throws { try Self("", "1970-01-01") } }
  }

  // MARK: Results

  /// A calendar day, such as 2026-11-20.
  struct Day: Codable, Sendable, DocumentedValue, JSONWritable {
    let number: Int64
    var text: String { String(RFC3339.string(Date(millisecondsSince1970: number * LocalDays.length)).prefix(10)) }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string", "format": "date"] }
    static let sample = Self(number: 0)
    func write(to bytes: inout [UInt8]) { text.write(to: &bytes) }
  }

  struct ModeSum: ResultObject {
    @Rounded1 var distance: Double
    @Rounded0 var seconds: Double
    @Rounded0 var moving: Double
  }

  /// Sums by mode of travel, in the order of ``TravelMode``.
  struct ModeSums: Codable, Sendable, DocumentedValue {
    var sums: [TravelMode: ModeSum]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: ModeName.self)
      for mode in TravelMode.allCases {
        if let sum = sums[mode] { try container.encode(sum, forKey: ModeName(stringValue: mode.rawValue)) }
      }
    }

    static func schema(in components: SchemaComponents) throws -> JSONValue {
      [
        "type": "object", "propertyNames": TravelMode.schema(in: components),
        "additionalProperties": try components.schema(of: ModeSum.self),
      ]
    }
    static let sample = Self(sums: [:])

    private struct ModeName: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }

  struct Total: ResultObject {
    var points: Int64
    @Nullable var first: Date?
    @Nullable var last: Date?
    @Rounded1 var distance: Double
    @Rounded0 var moving: Double
    var modes: ModeSums
  }

  struct MonthTotal: ResultObject {
    var month: String
    var points: Int64
    @Nullable var first: Date?
    @Nullable var last: Date?
    @Rounded1 var distance: Double
    @Rounded0 var moving: Double
    var modes: ModeSums

    init(_ month: String, _ total: Total) {
      self.month = month
      (points, first, last) = (total.points, total.first, total.last)
      (distance, moving, modes) = (total.distance, total.moving, total.modes)
    }
  }

  struct DayTotal: ResultObject {
    var day: Day
    var points: Int64
    @Nullable var first: Date?
    @Nullable var last: Date?
    @Rounded1 var distance: Double
    @Rounded0 var moving: Double
    var modes: ModeSums

    init(_ day: Int64, _ total: Total) {
      self.day = Day(number: day)
      (points, first, last) = (total.points, total.first, total.last)
      (distance, moving, modes) = (total.distance, total.moving, total.modes)
    }
  }

  struct Statistics: ResultObject {
    var device: String
    var timeZone: String
    var from: Day
    var to: Day
    var begins: Date
    var ends: Date
    var total: Total
    var months: [MonthTotal]
    var days: [DayTotal]
    var places: [PlaceAPI.LearnedPlace]
    var countries: [CountrySum]
    var towns: [TownSum]
    var pending: Int

    static let schemaName: String? = "Statistics"
  }

  /// The number of days with a visit in a country, and the duration of the visits.
  struct CountrySum: ResultObject {
    var code: String
    var name: String
    var days: Int
    @Rounded0 var seconds: Double

    static let schemaName: String? = "CountrySum"
    static let notes: [String: JSONValue] = ["code": "ISO 3166-1, two letters.", "name": "The English name."]
  }

  /// The number of days with a visit in a town, and the duration of the visits.
  struct TownSum: ResultObject {
    var name: String
    @Nullable var state: String?
    @Nullable var countryCode: String?
    var days: Int
    @Rounded0 var seconds: Double

    static let schemaName: String? = "TownSum"
  }

  struct DeviceTimeZone: ResultObject {
    var device: String
    var timeZone: String
    @Nullable var suggested: String?

    static let schemaName: String? = "DeviceTimeZone"
    static let notes: [String: JSONValue] = [
      "suggested": "The zone of the country and the town that are nearest to the newest point; null: unknown."
    ]
  }

  struct TimeZoneBody: BodyObject {
    let timeZone: ZoneName
    static let kind = "time zone"
  }

  /// The name of a time zone, such as Europe/Ljubljana, or UTC.
  struct ZoneName: BodyValue {
    let zone: TimeZone

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let word = try body.text(name) else { return nil }
      guard let known = TimeZone(identifier: word), Preferences.isTimeZone(word) else {
        throw body.fault(name, "\(word.jsonQuoted) is not a time zone. Expected a name such as Europe/Ljubljana, or UTC.")
      }
      return Self(zone: word == "UTC" ? .gmt : known)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
    static let sample = Self(zone: .gmt)
  }
}
