internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore

/// `/api/v1/device-health` and the health of one device: offline devices, gaps, rejected records, and settings that
/// were sent and not adopted.
struct DeviceHealthAPI {
  let work: RequestWork

  /// Maximum number of notices of a device in a response.
  private static let maximumNotices = 50
  /// Maximum number of gaps of a device in a response; the newest are returned.
  private static let maximumGaps = 1000

  /// Lists the devices of which the requester may see all data.
  func list(_ request: PlainRequest) async throws -> HealthList {
    let (principal, now) = (request.principal, work.now)
    return try await work.run {
      let devices = try work.store.devices().filter { principal.seesAll(of: $0.device.id) }
      return try work.store.read { db in
        let shared = try Shared(db, damaged: work.store.health.damagedDaysByDevice)
        return HealthList(
          now: now, outages: shared.outages, devices: try devices.map { try Self.health(of: $0, shared, at: now, db) })
      }
    }
  }

  func one(_ request: PlainRequest) async throws -> Health {
    let (name, principal, now) = (request.parameter, request.principal, work.now)
    return try await work.run {
      let device = try principal.device(named: name, in: work.store, wholly: true)
      guard let summary = try work.store.devices().first(where: { $0.device.id == device.id }) else {
        throw Device.unknown(name)
      }
      return try work.store.read { db in
        let shared = try Shared(db, damaged: work.store.health.damagedDaysByDevice)
        let notices = try RegionEventTables.eventsWithoutRegion(of: device.id, limit: Self.maximumNotices, db)
        return Health(
          now: now, device: try Self.health(of: summary, shared, at: now, db),
          rule: Rule(shared.rules[device.id] ?? HeartbeatTables.Rule()),
          gaps: try GapTable.gaps(of: device.id, db).suffix(Self.maximumGaps).map { GapObject($0) },
          hours: try HeartbeatTables.hours(of: device.id, db).map { Hour($0) }, outages: shared.outages,
          notices: notices.map { Notice(text: $0) })
      }
    }
  }

  /// The data that one query reads for all devices.
  private struct Shared {
    var rules: [Int64: HeartbeatTables.Rule]
    var offlineDevices: [Int64: HeartbeatTables.OfflinePeriod]
    var outages: [Outage]
    var owners: [Int64: String]
    var dropped: [Int64: Int]
    var damaged: [Int64: [String]]

    init(_ db: any SQLConnection, damaged: [Int64: [String]]) throws {
      self.damaged = damaged
      rules = try HeartbeatTables.rules(db)
      offlineDevices = try HeartbeatTables.offlineDevices(db)
      outages = try HeartbeatTables.outages(db).map { Outage($0) }
      owners = try DeviceOwners.names(db)
      dropped = try RejectedRecordTable.dropped(db)
    }
  }

  private static func health(
    of summary: DeviceSummary, _ shared: Shared, at now: Date, _ db: any SQLConnection
  ) throws -> DeviceHealth {
    let id = summary.device.id
    let gaps = try GapTable.gaps(of: id, db)
    let change = try DesiredSettingsChange.all(of: id, limit: 1, db).first
    return DeviceHealth(
      name: summary.device.name, owner: shared.owners[id], points: summary.points, tokens: summary.tokens,
      first: summary.first, lastContact: summary.lastContact,
      last: summary.last.map { PointFeatureResult($0.record, device: summary.device.name) },
      missing: gaps.lazy.map(\.count).saturatingSum(), gaps: gaps.count, rejected: summary.rejected,
      dropped: shared.dropped[id] ?? 0, damagedDays: shared.damaged[id] ?? [],
      agent: try AppTables.report(UserAgentLog.type, of: id, db),
      contact: try contact(of: summary, shared, at: now, db), settings: change.map { SettingsState($0) })
  }

  /// The contact state of a device: `never` without any contact, `offline` if the time since the last contact is longer
  /// than expected, else `received`.
  private static func contact(
    of summary: DeviceSummary, _ shared: Shared, at now: Date, _ db: any SQLConnection
  ) throws -> OfflinePeriod {
    let id = summary.device.id
    let rule = shared.rules[id] ?? HeartbeatTables.Rule()
    guard let contact = summary.lastContact else {
      return OfflinePeriod(state: .never, notices: rule.notices, text: "no data received yet")
    }
    var expectation = try HabitsReader.habits(of: id, newest: summary.last, db).expectation(after: contact)
    if let threshold = rule.threshold { expectation = HeartbeatExpectation(origin: .user, threshold: threshold) }
    let noticed = shared.offlineDevices[id]?.noticed
    let quiet = max(0, now.timeIntervalSince(contact))
    return OfflinePeriod(
      state: noticed == nil ? .received : .offline, since: contact, noticed: Nullable(wrappedValue: noticed), seconds: Int(quiet),
      thresholdSeconds: Nullable(wrappedValue: expectation.threshold.map { Int($0) }),
      usualSeconds: Nullable(wrappedValue: expectation.usual.map { Int($0) }), origin: expectation.origin,
      notices: rule.notices, text: "last contact \(HeartbeatExpectation.describe(quiet)) ago; \(expectation.text)")
  }

  // MARK: The expectation

  /// Returns the device of a request.
  @discardableResult
  func device(_ request: HTTPRequest) throws(Problem) -> Device {
    try request.principal.device(named: request.parameter, in: work.store, wholly: true)
  }

  func setRule(_ request: BodyRequest<RuleBody>) async throws -> Rule { try await set(request.body.rule, request.http) }

  func removeRule(_ request: PlainRequest) async throws -> Rule { try await set(nil, request.http) }

  /// - Parameter rule: the interval that the server expects; `nil`: the server computes the interval.
  private func set(_ rule: HeartbeatTables.Rule?, _ request: HTTPRequest) async throws -> Rule {
    let device = try await work.run { try self.device(request) }
    return try await work.write { db in
      try HeartbeatTables.set(rule, of: device.id, db)
      return Rule(rule ?? HeartbeatTables.Rule())
    }
  }
}
