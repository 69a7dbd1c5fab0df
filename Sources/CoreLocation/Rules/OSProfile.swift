package import GodwitModel

/// What differs between versions of the system, or is contested: a value, so that a policy can be run across all of them.
///
/// Numbers without a better source are marked "assumed"; a table of tests runs the rules over every preset.
package struct OSProfile: Sendable, Hashable {
  /// What becomes of what was watched when the person has swiped the app away.
  package enum ForceQuit: Sendable, Hashable {
    /// The next event launches the app in the background (developers' reports for iOS 7.1 to 18, and Apple's
    /// description of the always permission).
    case relaunch
    /// Nothing launches it before the person opens it (Apple developer forums, threads 826964 and 815618: iOS 26).
    case never
    /// It is launched again at once (Apple developer forums, thread 701820: iOS 15.3).
    case immediate
  }

  /// Seconds of standing still until updates are paused, by what the app says it is for; `nil`: never.
  package struct PauseTimes: Sendable, Hashable {
    package var other: Double?
    package var automotive: Double?
    package var fitness: Double?
    package var otherNavigation: Double?
    package var airborne: Double?

    package init(
      other: Double?, automotive: Double?, fitness: Double?, otherNavigation: Double?, airborne: Double?
    ) {
      self.other = other
      self.automotive = automotive
      self.fitness = fitness
      self.otherNavigation = otherNavigation
      self.airborne = airborne
    }

    /// The time for one kind.
    package func time(for activity: CLActivityType) -> Double? {
      switch activity {
      case .other: other
      case .automotiveNavigation: automotive
      case .fitness: fitness
      case .otherNavigation: otherNavigation
      case .airborne: airborne
      }
    }
  }

  /// Names it in reports.
  package var name: String

  // MARK: Significant changes

  /// Metres of a significant change (Apple: 500 m or more).
  package var significantDistance: Meters = 500
  /// Seconds between two at least (Apple: not more often than once in five minutes; a large app's developers saw more).
  package var significantInterval = 300.0
  /// Seconds after which one comes without a move. Apple's energy guide says at least every 15 minutes, Apple's support
  /// engineers that the sentence is wrong (forum thread 71792); `nil`: none.
  package var significantHeartbeat: Double?

  // MARK: Visits

  /// Seconds of being in one place that make a stay, after which the arrival is reported (Overland: about 3 minutes;
  /// e-mission saw 15.4; assumed median 7).
  package var visitArrivalAfter = 420.0
  /// Seconds after leaving that the departure is reported (assumed median 4 minutes, from the same reports).
  package var visitDepartureAfter = 240.0

  // MARK: Regions

  /// Regions that an app may have watched (Apple: 20).
  package var maximumRegions = 20
  /// Metres of the smallest circle; a smaller one behaves like it (home-assistant/iOS issue 784: 100 m).
  package var smallestRegion: Meters = 100
  /// Metres beyond a boundary that make a crossing (Apple: a minimum distance; rn-background-geolocation issues 2597
  /// and 2353: 50 to 100 m on iOS 18, 60 to 70 m on iOS 26; assumed for the others).
  package var regionCushion: Meters = 75
  /// Seconds beyond it (Apple's programming guide: 20 s).
  package var regionCrossingTime = 20.0
  /// Seconds by which a crossing is reported late while nothing else keeps the radios awake (Microsoft's documentation: 3 to
  /// 5 minutes).
  package var regionLatency = 180.0
  /// Whether regions are there after a reboot (Apple: monitored until it; developers: they stay).
  package var regionsSurviveReboot = true

  // MARK: Beacons

  /// Seconds after the last sighting that a beacon is gone (rn-ibeacon issue 200: about 30 s).
  package var beaconExitAfter = 30.0

  // MARK: The app's life

  /// What a swipe does.
  package var forceQuit = ForceQuit.relaunch
  /// Seconds that an app has which was woken or launched in the background (Apple: about 10 s).
  package var wakeTime = 10.0
  /// Seconds that an app has on its way to the background (developers: 5 s).
  package var backgroundGrace = 5.0
  /// Whether updates keep an app running in the background only without a distance filter and with an accuracy of 100 m
  /// or better, or the indicator shown (since iOS 16.4: forum thread 726945).
  package var suspendsFilteredUpdates = true
  /// Whether significant changes beside updates take the app's running away (iOS 16.4: Overland issue 122).
  package var significantChangesEndUpdates = false
  /// Whether what a manager watched is still watched when nothing in the running app listens any more (Apple: yes, the
  /// next launch will). A program on Linux is not launched again.
  package var monitorsWithoutListener = true
  /// Whether the system starts an app that is not running.
  package var relaunches = true

  // MARK: Sessions

  /// Whether an app can promise to hold a `CLServiceSession` (since iOS 18: WWDC 2024, session 10212).
  package var hasServiceSessions = false
  /// Seconds until an app is launched again that ended while a `CLBackgroundActivitySession` kept it in use (WWDC 2023,
  /// session 10180, says that it is; the time is assumed).
  package var activityRelaunchAfter = 5.0

  // MARK: Permission

  /// Whether "while using" as the answer to a wish for always gives always until the person is asked again
  /// (since iOS 13: WWDC 2019, session 705).
  package var hasProvisionalAlways = true
  /// Whether the person can give precise places separately (since iOS 14).
  package var hasReducedAccuracy = true
  /// Seconds in the background after which "once" is over (developers: a while; assumed).
  package var onceLasts = 60.0
  /// Metres of the cells that are reported instead of a place (Apple: areas of 1 to 20 km).
  package var reducedCell: Meters = 5000
  /// Seconds between two such places (developers: about four an hour).
  package var reducedInterval = 900.0

  // MARK: Pause and battery

  /// When updates are paused (Overland: about 10 minutes; Apple: the kind is a hint; sooner for cars and sports, assumed).
  package var pauseAfter = PauseTimes(
    other: 600, automotive: 420, fitness: 420, otherNavigation: 600, airborne: 900)
  /// How many times as long as usual everything that may wait takes while the battery is spared (assumed).
  package var lowPowerSlowness = 2.0

  /// A profile with the values above, which are those of iOS 18.
  /// - Parameter name: names it in reports.
  package init(name: String) { self.name = name }

  /// The same with some things different.
  private func changed(_ name: String, _ change: (inout OSProfile) -> Void) -> OSProfile {
    var profile = self
    profile.name = name
    change(&profile)
    return profile
  }
}

extension OSProfile {
  package static let ios18 = OSProfile(name: "ios18").changed("ios18") { $0.hasServiceSessions = true }
  package static let ios12 = ios17.changed("ios12") {
    $0.significantHeartbeat = 900
    $0.suspendsFilteredUpdates = false
    $0.hasProvisionalAlways = false
    $0.hasReducedAccuracy = false
  }
  package static let ios13 = ios17.changed("ios13") {
    $0.suspendsFilteredUpdates = false
    $0.hasReducedAccuracy = false
  }
  package static let ios14 = ios17.changed("ios14") { $0.suspendsFilteredUpdates = false }
  package static let ios15 = ios14.changed("ios15") { _ in }
  /// iOS 15.3 and 15.3.1, which launched apps again that had been swiped away.
  package static let ios15dot3 = ios15.changed("ios15.3") { $0.forceQuit = .immediate }
  /// iOS 16.4, which suspends apps more readily.
  package static let ios16 = ios17.changed("ios16") { $0.significantChangesEndUpdates = true }
  package static let ios17 = ios18.changed("ios17") { $0.hasServiceSessions = false }
  package static let ios26 = ios18.changed("ios26") {
    $0.forceQuit = .never
    $0.regionCushion = 65
  }

  /// A program on Linux: nothing suspends or launches it, and there is no person who was asked; the same rules, as
  /// prompt as the receiver allows.
  package static let linux = OSProfile(name: "linux").changed("linux") {
    $0.visitArrivalAfter = 180
    $0.visitDepartureAfter = 0
    $0.smallestRegion = 0
    $0.regionCushion = 20
    $0.regionLatency = 0
    $0.suspendsFilteredUpdates = false
    $0.monitorsWithoutListener = false
    $0.relaunches = false
    $0.hasServiceSessions = false
    $0.hasProvisionalAlways = false
    $0.pauseAfter = PauseTimes(other: 600, automotive: 600, fitness: 600, otherNavigation: 600, airborne: 600)
  }

  /// Every phone, oldest first.
  package static let phones = [ios12, ios13, ios14, ios15, ios15dot3, ios16, ios17, ios18, ios26]
}
