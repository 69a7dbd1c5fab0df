internal import Foundation
package import GodwitModel
package import GodwitReceivers

extension LocationServices {
  /// The kind of a client.
  package enum Role: Sendable, Hashable {
    case manager
    /// An iteration over live updates.
    case liveUpdates
    /// A monitor, by its name.
    case monitor(String)
    case serviceSession
    case backgroundActivity

    /// Whether it receives the events of a region.
    func takes(_ region: Regions.Region) -> Bool {
      switch self {
      case .manager: region.monitor == nil
      case .monitor(let name): region.monitor == name
      case .liveUpdates, .serviceSession, .backgroundActivity: false
      }
    }
  }

  /// The limits of a stream or a session, besides the permission.
  package struct UseLimits: Sendable, Hashable {
    /// Whether the app declared that it holds a service session, and holds none.
    package var needsSession = false
    /// Whether the app is in the background and no session keeps it in use.
    package var isInsufficientlyInUse = false

    package init() {}
  }

  /// An input of the state machine.
  package enum Input: Sendable {
    // Requests of clients.
    case connected(ClientID, Role = .manager)
    case disconnected(ClientID)
    case startedUpdating(ClientID)
    case stoppedUpdating(ClientID)
    case requestedLocation(ClientID)
    case distanceFilterChanged(ClientID, CLLocationDistance)
    case desiredAccuracyChanged(ClientID, CLLocationAccuracy)
    /// Whether updates of a manager may be paused, and the activity that they are used for.
    case pausingChanged(ClientID, Bool)
    case activityTypeChanged(ClientID, CLActivityType)
    /// Whether updates of a manager continue in the background, and whether the user sees an indicator of that.
    case backgroundUpdatesChanged(ClientID, Bool)
    case indicatorChanged(ClientID, Bool)
    case significantChanges(ClientID, Bool)
    case visits(ClientID, Bool)
    case watch(ClientID, Regions.Region)
    case stopWatching(ClientID, identifier: String)
    case requestedState(ClientID, Regions.Region)
    case headings(ClientID, Bool)
    case headingFilterChanged(ClientID, CLLocationDegrees)
    case ranging(ClientID, Beacons.Identity, Bool)
    /// Whether motion is computed from the positions.
    case motionWatched(Bool)

    // Permission.
    case requestedAuthorization(ClientID, always: Bool)
    /// The user, or a test in the role of the user, chose a permission in a prompt or in the settings.
    case authorizationDecided(CLAuthorizationStatus)
    /// The user chose a response of a prompt.
    case promptAnswered(PromptResponse)
    /// Whether the user grants exact positions.
    case precise(Bool)
    case requestedFullAccuracy(ClientID, purpose: String)
    case fullAccuracyDecided(Bool)

    // The app's life cycle.
    case app(AppState)
    /// The user swiped the app away in the app switcher.
    case swipedAway
    case rebooted
    /// The phone was restarted with a new version of the system, which neither launches nor wakes apps until the next restart
    /// (openradar 35990983).
    case upgraded
    /// The app was deleted, with its permission and everything that was monitored for it.
    case removed
    /// The first unlock after a reboot.
    case unlocked
    case lowPower(Bool)
    /// The system expects that the device does not move for some time, independently of the positions.
    case pauseUpdates
    /// An internal region of the system is reported to the program like one of its own regions.
    case systemRegion

    // The radios.
    /// Raw positions, oldest first.
    case positions([Fix])
    /// A heading of the compass.
    case heading(CompassReading)
    /// A recorded file has ended. The device stays at its last position.
    case sourceEnded
    /// The receiver has failed; the text is a sentence for the user.
    case sourceFailed(String)
    /// Advertisements of beacons that were just received.
    case sightings([Beacons.Sighting])
    /// No beacon can currently be received; the text is a sentence for the user.
    case beaconsFailed(String)
    /// A timer that an output `wake` requested has fired.
    case timer
  }

  /// An output of the state machine, which the daemon performs.
  package enum Output: Sendable, Equatable {
    case deliver(ClientID, [Fix])
    case fail(ClientID, CLError)
    case heading(ClientID, CompassReading)
    case visited(ClientID, Visit)
    case entered(ClientID, Regions.Region)
    case exited(ClientID, Regions.Region)
    /// The state of a region, after a request and at every crossing.
    case state(ClientID, Regions.Region, Regions.State)
    case watchFailed(ClientID, Regions.Region, CLError)
    case watching(ClientID, Regions.Region)
    case ranged(ClientID, Beacons.Identity, [Beacons.Ranged])
    case rangingFailed(ClientID, Beacons.Identity, CLError)
    case paused(ClientID)
    case resumed(ClientID)
    /// The permission, at first and after each change of the permission or of the accuracy.
    case authorization(ClientID, CLAuthorizationStatus)
    /// The result of a request for exact positions; `nil`: they are granted.
    case fullAccuracyAnswered(ClientID, CLError?)
    /// The limits of a stream or a session, when they have changed.
    case useLimits(ClientID, UseLimits)

    /// Prompt the user for permission.
    case prompt(always: Bool)
    /// Ask the user whether to keep the permission "always".
    case promptToKeepAlways
    case promptForFullAccuracy(purpose: String)

    /// Launch the app in the background. It counts as running from now on.
    case launchApp(AppLaunch)
    /// Wake the suspended app, at least until this time. It counts as running from now on.
    case wakeApp(until: Date)
    /// The location services no longer keep the app running in the background.
    case mayBeSuspended

    /// The best accuracy that a client requests; `nil`: the receiver can be turned off.
    case radio(CLLocationAccuracy?)
    /// Whether to receive beacons.
    case beaconRadio(Bool)
    /// Whether to read the compass.
    case compass(Bool)
    /// Pass the input `timer` at this time.
    case wake(Date)

    /// The client that receives the output; `nil`: it concerns the system.
    package var client: ClientID? {
      switch self {
      case .deliver(let id, _), .fail(let id, _), .visited(let id, _), .entered(let id, _), .exited(let id, _),
        .state(let id, _, _), .watchFailed(let id, _, _), .watching(let id, _), .ranged(let id, _, _),
        .rangingFailed(let id, _, _), .paused(let id), .resumed(let id), .authorization(let id, _),
        .fullAccuracyAnswered(let id, _), .useLimits(let id, _), .heading(let id, _):
        id
      case .prompt, .promptToKeepAlways, .promptForFullAccuracy, .launchApp, .wakeApp, .mayBeSuspended, .radio,
        .beaconRadio, .compass, .wake:
        nil
      }
    }
  }

  /// The services that the app currently requests.
  package struct Demand: Sendable, Hashable {
    /// The best accuracy that the running app requests; `nil`: it requests no positions.
    package var updates: CLLocationAccuracy?
    /// Whether visits are monitored for the app. This and the following values do not depend on whether the app runs.
    package var visits = false
    package var significantChanges = false
    package var circles: [Circle] = []
    package var monitorsBeacons = false
    package var rangesBeacons = false

    package init() {}
  }

  /// A monitored circle.
  package struct Circle: Sendable, Hashable {
    package var center: Coordinate
    package var radius: Meters
  }
}
