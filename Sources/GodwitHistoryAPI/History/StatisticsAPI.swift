internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitTiles
internal import GodwitVisits

/// `GET /api/v1/statistics`: sums by day, month and year in the device's time zone, and the routes of that time zone.
struct StatisticsAPI {
  let work: RequestWork
  let localities: Localities

  /// The maximum number of places in a response.
  static let maximumPlaces = 20

  /// The sum of several days.
  private struct Sum {
    var points: Int64 = 0
    var first: Int64?
    var last: Int64?
    var modes: [TravelMode: ModeSum] = [:]

    mutating func add(_ key: DayShare.Key, _ share: DayShare) {
      guard let mode = key.mode else {
        points += share.points
        first = [first, share.first].compactMap(\.self).min()
        last = [last, share.last].compactMap(\.self).max()
        return
      }
      var sum = modes[mode] ?? ModeSum(distance: 0, seconds: 0, moving: 0)
      sum.distance += share.distance
      sum.seconds += share.seconds
      sum.moving += share.moving
      modes[mode] = sum
    }

    var total: Total {
      Total(
        points: points, first: first.map { Date(millisecondsSince1970: $0) }, last: last.map { Date(millisecondsSince1970: $0) },
        distance: modes.values.reduce(0) { $0 + $1.distance }, moving: modes.values.reduce(0) { $0 + $1.moving },
        modes: ModeSums(sums: modes))
    }
  }

  func statistics(_ request: ParameterRequest<DayParameters>) async throws -> Statistics {
    let (principal, name, days) = (request.principal, request.parameters.device.name, try request.parameters.days())
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      return try work.store.read { try Self.statistics(of: device, days, localities, $0) }
    }
  }

  private static func statistics(
    of device: Device, _ days: Range<Int64>, _ localities: Localities, _ db: any SQLConnection
  ) throws -> Statistics {
    let rows = TimelineRows(db)
    let zone = try rows.zone(of: device.id)
    var local = LocalDays(zone)
    let times = local.start(of: days.lowerBound)..<local.start(of: days.upperBound)
    var byDay: [Int64: Sum] = [:]
    var byMonth: [String: Sum] = [:]
    var total = Sum()
    for (key, share) in try CorrectedTimeline(db).shares(ofDevice: device.id, days, local) {
      byDay[key.localDay, default: Sum()].add(key, share)
      byMonth[String(Day(number: key.localDay).text.prefix(7)), default: Sum()].add(key, share)
      total.add(key, share)
    }
    let finder = try PlaceFinder(device: device.id, db)
    let visits = try CorrectedTimeline(db).visits(TimelineRows.Query(device: device.id, times: times))
    let places = try LearnedPlaces(visits, in: times, finder).clusters.prefix(maximumPlaces).map {
      PlaceAPI.LearnedPlace(
        $0, $0.place == nil ? try AddressTable.address(near: $0.center, db) : nil, try localities.name(of: $0.center))
    }
    var visited = VisitedLocalities(in: times, local: local, localities)
    for shown in visits { try visited.add(shown.visit) }
    return Statistics(
      device: device.name, timeZone: zone.name, from: Day(number: days.lowerBound), to: Day(number: days.upperBound),
      begins: Date(millisecondsSince1970: times.lowerBound), ends: Date(millisecondsSince1970: times.upperBound),
      total: total.total, months: byMonth.sorted { $0.key < $1.key }.map { MonthTotal($0.key, $0.value.total) },
      days: byDay.sorted { $0.key < $1.key }.map { DayTotal($0.key, $0.value.total) }, places: places,
      countries: visited.countries, towns: visited.towns,
      pending: try rows.pending(device: device.id, before: times.upperBound))
  }

  func zone(_ request: PlainRequest) async throws -> DeviceTimeZone {
    let (principal, name) = (request.principal, request.parameter)
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      let zone = try work.store.read { try TimelineRows($0).zone(of: device.id) }
      return DeviceTimeZone(device: device.name, timeZone: zone.name, suggested: try suggestedZone(of: device))
    }
  }

  /// Rejects an unknown device before the body is checked.
  func find(_ request: HTTPRequest) throws(Problem) {
    _ = try request.principal.device(named: request.parameter, in: work.store, wholly: true)
  }

  func setZone(_ request: BodyRequest<TimeZoneBody>) async throws -> DeviceTimeZone {
    let (principal, name, zone) = (request.principal, request.parameter, request.body.timeZone.zone)
    let (device, suggested) = try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      return (device, try suggestedZone(of: device))
    }
    return try await work.write { db in
      try TimelineRows(db).set(zone, of: device.id)
      return DeviceTimeZone(device: device.name, timeZone: zone.name, suggested: suggested)
    }
  }

  /// Returns the time zone at the newest point of a device; `nil` if unknown.
  private func suggestedZone(of device: Device) throws -> String? {
    guard let place = try work.store.newest(device: device.id)?.fix.coordinate else { return nil }
    return TimeZoneTable.system.zone(at: place, in: try localities.name(of: place).countryCode)
  }
}
