internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import GodwitVisits

/// `GET /api/v1/statistics/years` and `/records`: statistics of all years of a device, from the stored timeline.
struct TravelRecordsAPI: Sendable {
  let work: RequestWork
  let localities: Localities

  func years(_ request: ParameterRequest<DeviceParameters>) async throws -> YearList {
    let (principal, name) = (request.principal, request.parameters.device.name)
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      return try work.store.read { db in
        let rows = TimelineRows(db)
        let zone = try rows.zone(of: device.id)
        let shares = try CorrectedTimeline(db).shares(ofDevice: device.id, Self.allDays, LocalDays(zone))
        let years = YearSums.all(shares)
        return YearList(
          device: device.name, timeZone: zone.name, years: years.map { YearTotal($0) },
          pending: try rows.pending(device: device.id, before: .max))
      }
    }
  }

  func records(_ request: ParameterRequest<YearParameters>) async throws -> RecordList {
    let (principal, name, year) = (request.principal, request.parameters.device.name, request.parameters.year)
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      return try work.store.read { try records(of: device, year?.days ?? Self.allDays, $0) }
    }
  }

  /// The local dates of the years 1900 to 2199, in days since 1970.
  private static let allDays: Range<Int64> = -25_567..<84_006

  private func records(of device: Device, _ days: Range<Int64>, _ db: any SQLConnection) throws -> RecordList {
    let rows = TimelineRows(db)
    let zone = try rows.zone(of: device.id)
    var local = LocalDays(zone)
    let times = local.start(of: days.lowerBound)..<local.start(of: days.upperBound)
    let query = TimelineRows.Query(device: device.id, times: times)
    let finder = try PlaceFinder(device: device.id, db)
    let timeline = CorrectedTimeline(db)
    let (visits, trips) = (try timeline.visits(query), try timeline.trips(query))
    let records = TravelRecords(
      visits: visits, trips: trips.map(\.trip), shares: try timeline.shares(ofDevice: device.id, days, local),
      days: days, zone: zone, finder: finder)
    func listed(_ place: LearnedPlaces.Cluster) throws -> PlaceAPI.LearnedPlace {
      PlaceAPI.LearnedPlace(
        place, place.place == nil ? try AddressTable.address(near: place.center, db) : nil, try localities.name(of: place.center))
    }
    return RecordList(
      device: device.name, timeZone: zone.name,
      furthest: try records.furthest.map { away in
        Furthest(
          distance: away.distance, visit: try TimelineAPI.Visit(away.visit, of: device, finder, localities, db),
          home: try listed(away.home))
      },
      longestDay: records.longestDay.map { LongestDay(day: StatisticsAPI.Day(number: $0.day), distance: $0.distance) },
      activeStreak: records.activeStreak.map {
        Streak(first: StatisticsAPI.Day(number: $0.first), last: StatisticsAPI.Day(number: $0.last), days: Int($0.days))
      },
      modes: TravelMode.allCases.compactMap { mode in records.modes[mode].map { ModeRecord(mode, $0, among: trips, of: device) }
      },
      places: try LearnedPlaces(visits, in: times, finder).clusters.prefix(StatisticsAPI.maximumPlaces).map(listed),
      pending: try rows.pending(device: device.id, before: times.upperBound))
  }
}

extension TravelRecordsAPI {
  // MARK: Results

  struct YearTotal: ResultObject {
    var year: Int
    var days: Int
    var points: Int64
    @Rounded1 var distance: Double
    @Rounded0 var moving: Double
    var modes: StatisticsAPI.ModeSums

    static let notes: [String: JSONValue] = ["days": "Days with points.", "distance": "Metres, with flights."]

    init(_ sums: YearSums) {
      (year, days, points) = (sums.year, sums.days, sums.points)
      distance = sums.modes.values.reduce(0) { $0 + $1.distance }
      moving = sums.modes.values.reduce(0) { $0 + $1.moving }
      modes = StatisticsAPI.ModeSums(
        sums: sums.modes.mapValues { StatisticsAPI.ModeSum(distance: $0.distance, seconds: $0.seconds, moving: $0.moving) })
    }
  }

  struct YearList: ResultObject {
    var device: String
    var timeZone: String
    var years: [YearTotal]
    var pending: Int

    static let notes: [String: JSONValue] = [
      "years": "From the first year with points to the last.", "pending": "Days that must still be recomputed.",
    ]
  }

  struct Furthest: ResultObject {
    @Rounded0 var distance: Double
    var visit: TimelineAPI.Visit
    var home: PlaceAPI.LearnedPlace

    static let notes: [String: JSONValue] = [
      "distance": "Metres.", "home": "The place of the longest visits of that year.",
    ]
  }

  struct LongestDay: ResultObject {
    var day: StatisticsAPI.Day
    @Rounded1 var distance: Double
  }

  struct Streak: ResultObject {
    var first: StatisticsAPI.Day
    var last: StatisticsAPI.Day
    var days: Int
  }

  /// The records of a mode.
  struct ModeRecord: ResultObject {
    var mode: TravelMode
    @Nullable var longest: TimelineAPI.Trip?
    @Nullable var fastest: TimelineAPI.Trip?
    @Nullable var topSpeed: Rounded2?

    static let notes: [String: JSONValue] = [
      "longest": "The longest trip whose main mode it is.", "fastest": "The trip with the highest speed of a part in this mode.",
      "top_speed": "Metres per second, which 5 % of that part exceed.",
    ]

    /// - Parameter trips: the trips of the period, with the corrections of users applied.
    init(_ mode: TravelMode, _ best: TravelRecords.Best, among trips: [ShownTrip], of device: Device) {
      func shown(_ trip: FoundTrip) -> TimelineAPI.Trip {
        TimelineAPI.Trip(trips.first { $0.trip == trip } ?? ShownTrip(trip), of: device)
      }
      self.mode = mode
      longest = best.longest.map(shown)
      fastest = best.fastest.map(shown)
      topSpeed = best.fastest == nil ? nil : Rounded2(best.topSpeed)
    }
  }

  struct RecordList: ResultObject {
    var device: String
    var timeZone: String
    @Nullable var furthest: Furthest?
    @Nullable var longestDay: LongestDay?
    @Nullable var activeStreak: Streak?
    var modes: [ModeRecord]
    var places: [PlaceAPI.LearnedPlace]
    var pending: Int

    static let notes: [String: JSONValue] = [
      "furthest": "The visit that is furthest from home.", "longest_day": "The day with the longest way, without flights.",
      "active_streak": "Days in a row with a kilometre on foot, running or by bicycle.",
      "places": "Places by time.", "pending": "Days that must still be recomputed.",
    ]
  }

  // MARK: Requests

  struct DeviceParameters: ParameterList {
    let device: StatisticsAPI.NeededDevice
  }

  struct YearParameters: ParameterList {
    let device: StatisticsAPI.NeededDevice
    let year: StatisticsAPI.YearParameter?

    static let notes: [String: JSONValue] = ["year": "Only of this year; without it, of all."]
  }
}
