internal import Foundation
package import GodwitModel
package import GodwitReceivers

extension LocationServices {
  /// What a client is in the program.
  package enum Role: Sendable, Hashable {
    case manager
    /// An iteration over live updates.
    case liveUpdates
    /// A monitor, by its name.
    case monitor(String)
    case serviceSession
    case backgroundActivity

    /// Whether it receives events of regions.
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
    /// The app promised a service session and has none.
    package var needsSession = false
    /// The app is not in front, and nothing keeps it in use.
    package var isInsufficientlyInUse = false

    package init() {}
  }

  /// What happens to the system.
  package enum Input: Sendable {
    // Managers come and go, and say what they want.
    case connected(ClientID, Role = .manager)
    case disconnected(ClientID)
    case startedUpdating(ClientID)
    case stoppedUpdating(ClientID)
    case requestedLocation(ClientID)
    case distanceFilterChanged(ClientID, CLLocationDistance)
    case desiredAccuracyChanged(ClientID, CLLocationAccuracy)
    /// Whether updates of a manager may be paused, and what they are for.
    case pausingChanged(ClientID, Bool)
    case activityTypeChanged(ClientID, CLActivityType)
    /// Whether updates of a manager go on in the background, and whether the person sees that.
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
    /// Whether motion is derived from the positions.
    case motionWatched(Bool)

    // The person.
    case requestedAuthorization(ClientID, always: Bool)
    /// The user (or the test in that role) decided, in an answer or in the settings.
    case authorizationDecided(CLAuthorizationStatus)
    /// The person chose one of the answers of a prompt.
    case promptAnswered(PromptResponse)
    /// Whether the person gives exact places.
    case precise(Bool)
    case requestedFullAccuracy(ClientID, purpose: String)
    case fullAccuracyDecided(Bool)

    // The app's life.
    case app(AppState)
    /// The person threw the app out of the switcher.
    case swipedAway
    case rebooted
    /// Started again with a new version of the system, which launches and wakes no app until the next start (openradar
    /// 35990983).
    case upgraded
    /// The app was taken off the phone, with everything that was watched for it and allowed to it.
    case removed
    /// The first unlock after a reboot.
    case unlocked
    case lowPower(Bool)
    /// The system finds that the device will not move for a while, whatever the positions say.
    case pauseUpdates
    /// A region of the system's own, which no program knows, is reported to the program as one of its own would be.
    case systemRegion

    // The radios.
    /// Raw positions, oldest first.
    case positions([Fix])
    /// Which way the device points.
    case heading(CompassReading)
    /// A recorded day is over: the device stays where it is.
    case sourceEnded
    /// The receiver is gone, with a sentence for people, or there again.
    case sourceFailed(String)
    /// Advertisements of beacons that were heard just now.
    case sightings([Beacons.Sighting])
    /// No beacon can be heard for now, with a sentence for people.
    case beaconsFailed(String)
    /// Time has passed: a timer that was asked for.
    case timer
  }

  /// What is to be done about it.
  package enum Output: Sendable, Equatable {
    case deliver(ClientID, [Fix])
    case fail(ClientID, CLError)
    case heading(ClientID, CompassReading)
    case visited(ClientID, Visit)
    case entered(ClientID, Regions.Region)
    case exited(ClientID, Regions.Region)
    /// The position: the answer to a request, and at every crossing.
    case state(ClientID, Regions.Region, Regions.State)
    case watchFailed(ClientID, Regions.Region, CLError)
    case watching(ClientID, Regions.Region)
    case ranged(ClientID, Beacons.Identity, [Beacons.Ranged])
    case rangingFailed(ClientID, Beacons.Identity, CLError)
    case paused(ClientID)
    case resumed(ClientID)
    /// The permission or its exactness, at first and when it has changed.
    case authorization(ClientID, CLAuthorizationStatus)
    /// What became of a wish for exact places: `nil`: they are given.
    case fullAccuracyAnswered(ClientID, CLError?)
    /// What stands in the way of a stream or a session, when it is something else than before.
    case useLimits(ClientID, UseLimits)

    /// The person must be asked.
    case prompt(always: Bool)
    /// The person must be asked whether always is meant.
    case promptToKeepAlways
    case promptForFullAccuracy(purpose: String)

    /// The app that is not running must be launched in the background. It counts as running from now on.
    case launchApp(AppLaunch)
    /// The suspended app must run, at least until this time. It counts as running from now on.
    case wakeApp(until: Date)
    /// Nothing here keeps the app running in the background any more.
    case mayBeSuspended

    /// The best accuracy that a client wants; `nil`: the radio can sleep.
    case radio(CLLocationAccuracy?)
    /// Whether beacons are to be listened for.
    case beaconRadio(Bool)
    /// Whether headings are wanted.
    case compass(Bool)
    /// Tell `timer` at this time.
    case wake(Date)

    /// The manager that receives it; `nil`: it concerns the system.
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

  /// What is asked for at the moment, by whom.
  package struct Demand: Sendable, Hashable {
    /// The best accuracy that the running app wants positions with; `nil`: none.
    package var updates: CLLocationAccuracy?
    /// What is watched for the app, whether or not it runs.
    package var visits = false
    package var significantChanges = false
    package var circles: [Circle] = []
    package var monitorsBeacons = false
    package var rangesBeacons = false

    package init() {}
  }

  /// A circle that is watched.
  package struct Circle: Sendable, Hashable {
    package var center: Coordinate
    package var radius: Meters
  }
}
