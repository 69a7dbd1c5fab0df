internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `GET /api/v1/statistics`: sums by day, month and year in the device's time zone; and the routes of that time zone.
struct StatisticsAPI {
  let work: RequestWork

  /// Days in one answer.
  private static let maximumDays: Int64 = 3660
  /// Places in one answer.
  private static let maximumPlaces = 20

  /// The sum of several days.
  private struct Sum {
    var points: Int64 = 0
    var first: Int64?
    var last: Int64?
    var days: Set<Int64> = []
    var modes: [TravelMode: (distance: Double, seconds: Double, moving: Double)] = [:]

    mutating func add(_ key: DayShare.Key, _ share: DayShare) {
      days.insert(key.localDay)
      guard let mode = key.mode else {
        points += share.points
        first = [first, share.first].compactMap(\.self).min()
        last = [last, share.last].compactMap(\.self).max()
        return
      }
      let known = modes[mode] ?? (0, 0, 0)
      modes[mode] = (known.distance + share.distance, known.seconds + share.seconds, known.moving + share.moving)
    }

    func write(_ text: inout JSONText) {
      let number = JSONText.number
      text.add("points", Int(points))
      text.add("first", first.map { Date(millisecondsSince1970: $0) })
      text.add("last", last.map { Date(millisecondsSince1970: $0) })
      text.add("distance", raw: number(modes.values.reduce(0) { $0 + $1.distance }, 1))
      text.add("moving", raw: number(modes.values.reduce(0) { $0 + $1.moving }, 0))
      let all = TravelMode.allCases.compactMap { mode in
        modes[mode].map {
          #""\#(mode.rawValue)":{"distance":\#(number($0.distance, 1)),"seconds":\#(number($0.seconds, 0)),"moving":\#(number($0.moving, 0))}"#
        }
      }
      text.add("modes", raw: "{" + all.joined(separator: ",") + "}")
    }
  }

  /// `GET /api/v1/statistics`
  func statistics(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    guard let device = request.query.text("device") else {
      throw Problem(400, "Bad argument", "device is missing: its name. /api/v1/devices lists those that are.")
    }
    let name = device
    let days = try Self.days(request)
    let reader = request.reader
    return work.later(request) {
      let device = try reader.device(named: name, in: work.store, wholly: true)
      return try work.store.read { connection in
        let rows = TimelineRows(connection)
        let zone = try rows.zone(of: device.id)
        var local = LocalDays(zone)
        let times = local.start(of: days.lowerBound)..<local.start(of: days.upperBound)
        var byDay: [Int64: Sum] = [:]
        var byMonth: [Substring: Sum] = [:]
        var total = Sum()
        for (key, share) in try rows.shares(device: device.id, days) {
          byDay[key.localDay, default: Sum()].add(key, share)
          byMonth[Self.text(ofDay: key.localDay).prefix(7), default: Sum()].add(key, share)
          total.add(key, share)
        }
        let finder = try PlaceFinder(device: device.id, connection)
        let visits = try rows.visits(TimelineRows.Query(device: device.id, times: times))
        let learned = LearnedPlaces(visits, in: times, finder)
        let named = try learned.clusters.prefix(Self.maximumPlaces).map {
          ($0, $0.place == nil ? try AddressTable.address(near: $0.center, connection) : nil)
        }
        let answer = JSONText.object { text in
          text.add("device", device.name)
          text.add("time_zone", zone.name)
          text.add("from", Self.text(ofDay: days.lowerBound))
          text.add("to", Self.text(ofDay: days.upperBound))
          text.add("begins", Date(millisecondsSince1970: times.lowerBound))
          text.add("ends", Date(millisecondsSince1970: times.upperBound))
          text.add("total", raw: JSONText.object { total.write(&$0) })
          let months = byMonth.sorted { $0.key < $1.key }.map { month, sum in
            JSONText.object {
              $0.add("month", String(month))
              sum.write(&$0)
            }
          }
          text.add("months", raw: "[" + months.joined(separator: ",") + "]")
          let days = byDay.sorted { $0.key < $1.key }.map { day, sum in
            JSONText.object {
              $0.add("day", Self.text(ofDay: day))
              sum.write(&$0)
            }
          }
          text.add("days", raw: "[" + days.joined(separator: ",") + "]")
          text.add("places", raw: "[" + named.map { PlaceAPI.json($0.0, $0.1) }.joined(separator: ",") + "]")
        }
        let pending = try rows.pending(device: device.id, before: times.upperBound)
        return JSONText.response(answer.dropLast() + #","pending":\#(pending)}"#)
      }
    }
  }

  /// `GET` and `PUT /api/v1/devices/NAME/time-zone`
  func zone(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    @Sendable func answer(_ device: Device, _ zone: TimeZone) -> HTTPResponse {
      JSONText.response(
        JSONText.object {
          $0.add("device", device.name)
          $0.add("time_zone", zone.name)
        })
    }
    if request.method != "PUT" {
      return work.later(request) {
        let device = try reader.device(named: name, in: work.store, wholly: true)
        let zone = try work.store.read { try TimelineRows($0).zone(of: device.id) }
        return answer(device, zone)
      }
    }
    let device = try reader.device(named: name, in: work.store, wholly: true)
    var body = try JSONBody(request.takeBody(), "time zone")
    let word = try body.needed("time_zone")
    try body.end()
    guard let known = TimeZone(identifier: word), TimeZone.knownTimeZoneIdentifiers.contains(word) || word == "UTC" else {
      throw body.fault("time_zone", "\(word.jsonQuoted) is none. Expected a name such as Europe/Ljubljana, or UTC.")
    }
    let zone = word == "UTC" ? .gmt : known
    return work.change(request) { connection in
      try TimelineRows(connection).set(zone, of: device.id)
      return answer(device, zone)
    }
  }

  // MARK: Arguments

  /// Days since 1970, of local dates.
  private static func days(_ request: HTTPRequest) throws(Problem) -> Range<Int64> {
    let (year, month) = (request.query["year"], request.query["month"])
    if let year {
      guard let number = Int(year), (1900...2199).contains(number) else {
        throw Problem(400, "Bad argument", "year=\(year): expected a year, 1900 to 2199.")
      }
      return try day("year", "\(number)-01-01")..<day("year", "\(number + 1)-01-01")
    }
    if let month {
      let parts = month.split(separator: "-").compactMap { Int($0) }
      guard month.count == 7, parts.count == 2, (1900...2199).contains(parts[0]), (1...12).contains(parts[1]) else {
        throw Problem(400, "Bad argument", "month=\(month): expected a month such as 2026-11.")
      }
      let next = parts[1] == 12 ? "\(parts[0] + 1)-01-01" : "\(parts[0])-\(parts[1] < 9 ? "0" : "")\(parts[1] + 1)-01"
      return try day("month", month + "-01")..<day("month", next)
    }
    guard let from = request.query["from"], let to = request.query["to"] else {
      throw Problem(400, "Bad argument", "Say year=2026, month=2026-11, or from=2026-11-01 and to=2026-11-08.")
    }
    let days = (try day("from", from), try day("to", to))
    guard days.0 < days.1 else { throw Problem(400, "Bad argument", "to: expected a day after from.") }
    guard days.1 - days.0 <= maximumDays else {
      throw Problem(400, "Bad argument", "to=\(to): \(maximumDays) days at most. Ask for the rest apart.")
    }
    return days.0..<days.1
  }

  private static func day(_ name: String, _ text: String) throws(Problem) -> Int64 {
    guard text.count == 10, let date = RFC3339.date(text + "T00:00:00Z"), (1900...2200).contains(Int(text.prefix(4)) ?? 0) else {
      throw Problem(400, "Bad argument", "\(name)=\(text): expected a day such as 2026-11-20.")
    }
    return DirtyDays.day(of: date.millisecondsSince1970)
  }

  /// As 2026-11-20.
  private static func text(ofDay day: Int64) -> String {
    String(RFC3339.string(Date(millisecondsSince1970: day * LocalDays.length)).prefix(10))
  }
}
