package import GodwitModel

/// The behaviour that differs between versions of the operating system, or is disputed. It is a value, so that a policy can be
/// simulated with all versions.
///
/// Numbers without a better source are marked "assumed". A test table runs the rules with every preset.
package struct OSProfile: Sendable, Hashable {
  /// The effect of swiping an app away on its monitoring.
  package enum ForceQuit: Sendable, Hashable {
    /// The next event launches the app in the background (developers' reports for iOS 7.1 to 18, and Apple's
    /// description of the permission "always").
    case relaunch
    /// No event launches the app before the user opens it (Apple developer forums, threads 826964 and 815618: iOS 26).
    case never
    /// The app is launched again at once (Apple developer forums, thread 701820: iOS 15.3).
    case immediate
  }

  /// The seconds after which the updates of a stationary device are paused, by activity type; `nil`: never.
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

    /// Returns the time for an activity type; `nil`: never.
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

  /// The name of the profile in reports.
  package var name: String

  // MARK: Significant changes

  /// The distance in metres of a significant change (Apple: 500 m or more).
  package var significantDistance: Meters = 500
  /// The minimum time in seconds between two significant changes (Apple: not more often than once in five minutes; the
  /// developers of a large app observed more).
  package var significantInterval = 300.0
  /// The seconds after which a significant change is reported without a move; `nil`: never. Apple's energy guide documents at
  /// least one every 15 minutes; according to Apple's support engineers that is wrong (forum thread 71792).
  package var significantHeartbeat: Double?

  // MARK: Visits

  /// The seconds in one place after which the arrival is reported (Overland: about 3 minutes; e-mission observed 15.4;
  /// assumed median: 7).
  package var visitArrivalAfter = 420.0
  /// The seconds after leaving the place after which the departure is reported (assumed median: 4 minutes, from the same
  /// reports).
  package var visitDepartureAfter = 240.0

  // MARK: Regions

  /// The maximum number of monitored regions of an app (Apple: 20).
  package var maximumRegions = 20
  /// The radius in metres of the smallest circle. A smaller circle behaves like it (home-assistant/iOS issue 784: 100 m).
  package var smallestRegion: Meters = 100
  /// The hysteresis: metres beyond a boundary after which it counts as crossed (Apple: a minimum distance;
  /// rn-background-geolocation issues 2597 and 2353: 50 to 100 m on iOS 18, 60 to 70 m on iOS 26; assumed for the others).
  package var regionCushion: Meters = 75
  /// The debounce time: seconds beyond the hysteresis after which the boundary counts as crossed (Apple's programming guide:
  /// 20 s).
  package var regionCrossingTime = 20.0
  /// The delay in seconds of a crossing while no continuous updates keep the radios on (Microsoft's documentation: 3 to
  /// 5 minutes).
  package var regionLatency = 180.0
  /// Whether regions stay monitored after a reboot (Apple: they are monitored until a reboot; developers: they stay).
  package var regionsSurviveReboot = true

  // MARK: Beacons

  /// The seconds after the last sighting after which a beacon counts as left (rn-ibeacon issue 200: about 30 s).
  package var beaconExitAfter = 30.0

  // MARK: The app's life cycle

  /// The effect of swiping the app away.
  package var forceQuit = ForceQuit.relaunch
  /// The seconds that an app may run after it was woken or launched in the background (Apple: about 10 s).
  package var wakeTime = 10.0
  /// The seconds that an app may run after it entered the background (developers: 5 s).
  package var backgroundGrace = 5.0
  /// Whether updates keep an app running in the background only without a distance filter and with an accuracy of 100 m
  /// or better, or with the indicator (since iOS 16.4: forum thread 726945).
  package var suspendsFilteredUpdates = true
  /// Whether updates do not keep the app running while significant changes are monitored too (iOS 16.4: Overland issue 122).
  package var significantChangesEndUpdates = false
  /// Whether monitoring continues when no client in the running app receives its events (Apple: yes, for the next launch). A
  /// program on Linux is not launched again.
  package var monitorsWithoutListener = true
  /// Whether the system launches an app that is not running.
  package var relaunches = true

  // MARK: Sessions

  /// Whether an app can declare that it holds a `CLServiceSession` (since iOS 18: WWDC 2024, session 10212).
  package var hasServiceSessions = false
  /// The seconds until an app that ended while a `CLBackgroundActivitySession` kept it in use is launched again (WWDC 2023,
  /// session 10180, documents the launch; the time is assumed).
  package var activityRelaunchAfter = 5.0

  // MARK: Permission

  /// Whether the response "while using" to a request for "always" grants "always" until the user is asked again
  /// (since iOS 13: WWDC 2019, session 705).
  package var hasProvisionalAlways = true
  /// Whether the user can deny exact positions (since iOS 14).
  package var hasReducedAccuracy = true
  /// The seconds in the background after which the permission "once" ends (no documented time; assumed).
  package var onceLasts = 60.0
  /// The size in metres of the cells that are reported as approximate positions (Apple: areas of 1 to 20 km).
  package var reducedCell: Meters = 5000
  /// The seconds between two approximate positions (developers: about four an hour).
  package var reducedInterval = 900.0

  // MARK: Pause and battery

  /// The times after which updates are paused (Overland: about 10 minutes; Apple: the activity type is a hint; shorter for cars
  /// and sports, assumed).
  package var pauseAfter = PauseTimes(
    other: 600, automotive: 420, fitness: 420, otherNavigation: 600, airborne: 900)
  /// The factor by which delays are longer in Low Power Mode (assumed).
  package var lowPowerSlowness = 2.0

  /// Creates a profile with the values above, which are those of iOS 18.
  /// - Parameter name: the name of the profile in reports.
  package init(name: String) { self.name = name }

  /// Returns a copy with changes.
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
  /// iOS 15.3 and 15.3.1, which launch an app again after it was swiped away.
  package static let ios15dot3 = ios15.changed("ios15.3") { $0.forceQuit = .immediate }
  /// iOS 16.4, which suspends apps more readily.
  package static let ios16 = ios17.changed("ios16") { $0.significantChangesEndUpdates = true }
  package static let ios17 = ios18.changed("ios17") { $0.hasServiceSessions = false }
  package static let ios26 = ios18.changed("ios26") {
    $0.forceQuit = .never
    $0.regionCushion = 65
  }

  /// A program on Linux. The system neither suspends nor launches it, and there is no user to prompt. The same rules apply,
  /// with short delays.
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

  /// The profiles of all versions of iOS, oldest first.
  package static let phones = [ios12, ios13, ios14, ios15, ios15dot3, ios16, ios17, ios18, ios26]
}
