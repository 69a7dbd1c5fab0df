internal import Foundation
internal import GodwitDelivery
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel
internal import GodwitRegionStorage

/// The parts of a tracker: the files that it opens, and the objects that are created from them.
struct TrackerParts {
  var lock: JournalLock
  var journal: Journal
  var damagedJournal: DamagedJournal?
  var regions: RegionWatching
  var delivery: Delivery
  var memory: SettingsMemory
  var engine: Engine

  /// Checks the program's purpose strings and the endpoints, and opens the files.
  init(_ configuration: Tracker.Configuration, _ sensor: any Sensor) throws {
    #if !os(Linux)
      try UsageDescriptions.check(
        Bundle.main.infoDictionary ?? [:], wanted: configuration.settings.authorization, usesMotion: sensor.usesMotion,
        usesAdvertising: configuration.settings.fields.contains(.advertisingID))
    #endif
    #if canImport(UIKit) && !os(tvOS) && !os(watchOS)
      if sensor.updatesInBackground { try UsageDescriptions.checkBackgroundLocation(Bundle.main.infoDictionary ?? [:]) }
    #endif
    try EndpointCheck.check(configuration.endpoints)
    let environment = configuration.environment
    try JournalFolder.create(for: configuration.journalPath)
    lock = try JournalLock(path: configuration.journalPath)
    let damaged: String?
    (journal, damaged) = try Journal.openMovingDamagedAside(
      path: configuration.journalPath,
      newID: UInt64(environment.random() * 0x1p32) << 32 | UInt64(environment.random() * 0x1p32) | 1,
      syncInterval: configuration.syncInterval, uptime: environment.uptime)
    let names = configuration.endpoints.map(\.id.name)
    try journal.retainOnly(endpoints: Set(names))
    for name in names { try journal.register(endpoint: name) }
    if let damaged {
      let count = try JournalSalvage.append(recordsOf: damaged, to: journal, at: environment.now())
      damagedJournal = DamagedJournal(path: damaged, recoveredRecords: count)
    }
    delivery = Delivery(journal: journal, client: environment.client, now: environment.now)
    regions = try RegionWatching(configuration, sensor, journal)
    JournalFolder.openWhileLocked([configuration.journalPath] + (regions.regions.map { [$0.storage.path] } ?? []))
    memory = SettingsMemory(text: try journal.remembered(SettingsMemory.note))
    let settings = memory.settings(from: configuration.settings)
    let plans = configuration.endpoints.enumerated().map { $1.plan(isFirst: $0 == 0) }
    engine = Engine(settings: settings, plans: plans, uniqueID: configuration.uniqueID)
    configuration.eventLog?.begin(
      Tracker.EventLog.Beginning(settings: settings, plans: plans, uniqueID: configuration.uniqueID))
  }

  /// Reads the stored state of earlier launches.
  static func launch(
    _ configuration: Tracker.Configuration, _ writer: inout RecordWriter, _ memory: SettingsMemory
  ) throws -> Launch {
    let journal = writer.journal
    let waiting = configuration.endpoints.map { ($0.id, journal.waiting(endpoint: $0.id.name)) }
    var launch = Launch(
      wasTracking: try journal.remembered("tracking") == "on", waiting: Dictionary(uniqueKeysWithValues: waiting),
      lastKept: try writer.readNewest())
    launch.trip = try remembered("trip", journal)
    launch.tripModes = try remembered("trip_modes", journal) ?? [:]
    launch.rollout = try remembered("trial", journal)
    launch.rest = try remembered("rest", journal)
    launch.coverageEnd = try journal.coverageEnd()
    launch.setByServer = memory.setByServer
    launch.serverModes = memory.serverModes(first: configuration.endpoints.first?.id)
    let now = configuration.environment.now()
    for endpoint in configuration.endpoints {
      launch.waitingSince[endpoint.id] = try journal.oldestWaiting(endpoint: endpoint.id.name)
      launch.sentToday[endpoint.id] = try journal.sentBytes(endpoint: endpoint.id.name, on: now)
    }
    return launch
  }

  /// Returns a stored value; an unreadable one counts as none.
  private static func remembered<Value: Decodable>(_ key: String, _ journal: Journal) throws -> Value? {
    guard let text = try journal.remembered(key) else { return nil }
    return try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}
