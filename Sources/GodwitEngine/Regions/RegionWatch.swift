internal import GodwitModel

public import struct Foundation.Date

/// Watches over the regions: what the system is to monitor, and what is told of it. A pure state machine, as the engine is one:
/// news go in, effects come out.
///
/// Keep it (it is `Codable`) whenever ``handle(_:at:in:)`` has given an effect, in one transaction with the events that it
/// told: so each is told once, however often the app dies. A new life begins with ``RegionInput/launched(monitored:foreign:)``.
public struct RegionWatch: Sendable, Hashable, Codable {
  /// How much of the system's monitoring there is; a change counts from the next plan on.
  public var limits: RegionLimits
  /// What is to be monitored now.
  public internal(set) var plan = RegionPlan()

  /// What the system was asked to monitor, by identifier.
  var monitored: [String: MonitoredRegion] = [:]
  /// Where the device is inside, by id of the region.
  var stays: [String: RegionStay] = [:]
  /// What was heard of the beacons that are near, by id of the region.
  var signals: [String: BeaconSignal] = [:]
  /// UUIDs of which the system says that the device is near some beacon.
  var heard: Set<ProximityUUID> = []
  /// Those of which the system has lost the last beacon, and when, as long as ranging has not said the same.
  var lost: [ProximityUUID: Date] = [:]
  var ranging: Set<ProximityUUID> = []
  /// How often beacons of a UUID were met.
  var met: [ProximityUUID: Int] = [:]
  /// Ids of the geofences in whose monitored circle the system has seen the device, where that circle is not the area.
  var around: Set<String> = []
  /// What the system would not monitor, by identifier.
  var refusals: [String: MonitoringFailure] = [:]
  /// Ids of stays of which the system was asked at launch whether they go on, and when.
  var asked: [String: Date] = [:]
  /// What the system said last of the geofences whose circle it monitors, by id.
  var seen: [String: Bool] = [:]
  /// Ids of those of which it says something else than fixes have decided: it will not tell their next crossing.
  var disputed: Set<String> = []
  /// When the system was last made to look anew at a geofence because of that, by id.
  var lookedAnew: [String: Date] = [:]
  /// When geofences were left after the last fix, by id: older ones that come late have their say only against what is impossible.
  var left: [String: Date] = [:]
  var lastFix: Fix?
  /// How fast it goes, by the last two fixes or by what the last one says.
  var speed: MetersPerSecond = 0
  /// As long as fixes are in here, nothing is to be decided.
  var quiet: Circle?
  /// A fix is needed that is not older than this.
  var wantedFix: WantedFix?
  /// When a fix is asked for because the system says that the horizon was left, and a fix of just now that it was not.
  var lookAgain: Date?
  /// Where the device has been since when, while fixes are needed.
  var rest: RestingPlace?
  var zones = RegionZones()
  var foreign = 0
  var canMonitor = true
  /// What was said last.
  var toldTimer: Date?
  var toldAccuracy: DesiredAccuracy?

  struct MonitoringFailure: Sendable, Hashable, Codable {
    /// When it is tried again; `nil`: it is being tried.
    var until: Date?
    var count: Int
  }

  struct WantedFix: Sendable, Hashable, Codable {
    var accuracy: DesiredAccuracy
    var since: Date
  }

  struct RestingPlace: Sendable, Hashable, Codable {
    var place: Coordinate
    var since: Date
  }

  public init(limits: RegionLimits = RegionLimits()) { self.limits = limits }

  /// What follows from a piece of news. Where a fix can change nothing this takes a fraction of a microsecond and no memory.
  /// - Parameters:
  ///   - news: what has happened; a life of the app begins with ``RegionInput/launched(monitored:foreign:)``.
  ///   - now: when it became known.
  ///   - catalogue: all regions; when it is another one than last time, ``RegionInput/catalogueChanged`` comes first.
  public mutating func handle(_ news: RegionInput, at now: Date, in catalogue: RegionCatalogue) -> [RegionEffect] {
    if case .fix(var fix) = news {
      // A fix from before the last one is no news, unless the clock was set back.
      if let lastFix, fix.time < lastFix.time, lastFix.time <= now { return [] }
      fix.time = min(fix.time, now)
      if let quiet, GreatCircle.distance(quiet.center, fix.coordinate) < quiet.radius, toldTimer.map({ now < $0 }) ?? true {
        lastFix = fix
        return []
      }
    }
    var turn = Turn(time: now, catalogue: catalogue)
    switch news {
    // The clocks' news may come before the launch, when nobody knows yet whether the stays go on.
    case .launched, .zones: take(news, &turn)
    default:
      // What was due before the news comes before it.
      settle(&turn)
      take(news, &turn)
      settle(&turn)
    }
    finish(&turn)
    return turn.effects
  }

  private mutating func take(_ news: RegionInput, _ turn: inout Turn) {
    switch news {
    case .launched(let monitored, let foreign): launch(monitored, foreign, &turn)
    case .catalogueChanged: takeCatalogue(&turn)
    case .fix(let fix): take(fix, &turn)
    case .entered(let identifier): cross(identifier, isInside: true, &turn)
    case .exited(let identifier): cross(identifier, isInside: false, &turn)
    case .state(let identifier, let isInside): takeState(identifier, isInside, &turn)
    case .monitoringFailed(let identifier): refuse(identifier, &turn)
    case .ranged(let uuid, let sightings): take(sightings, of: uuid, &turn)
    case .timer: break
    case .permission(let canMonitor): allow(canMonitor, &turn)
    case .foreignRegions(let count):
      foreign = count
      turn.rethink()
    case .zones(let zones):
      self.zones = zones
      turn.isUnsettled = !stays.isEmpty
    }
  }

  /// Plans where that is needed, and says what changed of the timer and of the fixes that are wanted.
  private mutating func finish(_ turn: inout Turn) {
    retryFailed(&turn)
    giveUpLost(&turn)
    lookOnceMore(&turn)
    noteDisputes(&turn)
    if turn.plan != .none { replan(&turn) }
    stayQuiet(&turn)
    if turn.isInsideChanged { turn.effects.append(.insideChanged) }
    let accuracy = neededAccuracy(at: turn.time)
    if accuracy != toldAccuracy { turn.effects.append(.wantsFixes(accuracy)) }
    toldAccuracy = accuracy
    let due = turn.isUnsettled ? turn.time : nextTime(turn)
    if due != toldTimer { turn.effects.append(.setTimer(due)) }
    toldTimer = due
  }
}

/// What one piece of news brings about.
struct Turn {
  let time: Date
  let catalogue: RegionCatalogue
  var effects: [RegionEffect] = []
  var plan = Planning.none

  /// Whether another plan is needed.
  enum Planning {
    case none
    /// For the place of the last one, if it is still good for where the device is now: so less has to be changed.
    case forTheSamePlace
    /// For the place of the last fix.
    case forHere
  }

  /// What is monitored has to be thought over.
  mutating func rethink() { if plan == .none { plan = .forTheSamePlace } }
  var isInsideChanged = false
  /// Whether the stays have to be looked at as soon as there is time.
  var isUnsettled = false
}
