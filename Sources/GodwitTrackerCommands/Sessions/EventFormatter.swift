internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// What an engine heard and did, as a person reads it.
enum EventFormatter {
  static func words(_ event: Event) -> String {
    switch event {
    case .launched(let launch):
      "launched" + (launch.wasTracking ? ", was tracking" : "") + (launch.trip == nil ? "" : ", on a trip")
    case .start: "start tracking"
    case .stop: "stop tracking"
    case .sendNow: "send now"
    case .purge: "purge"
    case .startTrip(let mode): "start a trip" + (mode.map { ": \($0.rawValue)" } ?? "")
    case .stopTrip: "stop the trip"
    case .stepsCounted(let steps): "steps: " + (steps.map(String.init) ?? "not available")
    case .answered(let answer): "answered: \(answer.rawValue)"
    case .authorizationChanged(let authorization): "permission: \(authorization.rawValue)"
    case .fixes(let fixes): list(fixes.map(words), "fix", "fixes")
    case .fixesLost(let count, let reason): "\(count) fixes lost: \(reason.title.lowercased())"
    case .visit(let visit, _): "visit at \(words(visit.coordinate))"
    case .locationFailed(let reason): "no location: \(reason)"
    case .paused: "paused by the system"
    case .resumed: "resumed by the system"
    case .region(let event): "region: \(event.kind.rawValue) \(event.region.id)"
    case .leftRegion: "left the region"
    case .becameActive: "became active"
    case .backgroundFetch(let number, _): "background fetch \(number)"
    case .locationWanted(let number): "location requested \(number)"
    case .settingsChanged(let settings): "settings by the owner: \(words(settings.changes))"
    case .settingsSet(let offers): "settings by the owner: \(words(offers.map { ($0.name, $0.value) }))"
    case .settingsOffered(let endpoint, let offers):
      "settings by \(endpoint): \(words(offers.map { ($0.name, $0.value) }))"
    case .contextChanged(let context): "device: \(words(context))"
    case .motionChanged(let motion, let isSure):
      "motion: \(words(motion))" + (isSure ? "" : ", uncertain")
    case .motionHistory(let spans):
      "motion history: "
        + (spans.isEmpty ? "unknown" : spans.map { "\(time($0.start)) \(words($0.motion))" }.joined(separator: "; "))
    case .networkChanged(let isReachable, let isWifi):
      "network: " + (isReachable ? "reachable" : "not reachable") + (isWifi.map { $0 ? ", wifi" : ", no wifi" } ?? "")
    case .timerFired(let timer): "timer: \(words(timer))"
    case .uploadFinished(let endpoint, let result): "upload to \(endpoint): \(words(result))"
    case .recordsLost(let endpoint, let count, let isOld):
      "\(count) records lost for \(endpoint): " + (isOld ? "too old" : "the journal was full")
    case .tick: "a minute has passed"
    case .willTerminate: "about to terminate"
    }
  }

  static func words(_ effect: Effect) -> String {
    switch effect {
    case .configureLocation(let request):
      request.map {
        "location: \($0.mode.rawValue), \($0.desiredAccuracy.rawValue)"
          + ($0.distanceFilter.map { $0 < 1e6 ? ", each \(Int($0)) m" : ", few positions" } ?? "")
      } ?? "location: off"
    case .requestAuthorization(let wanted): "request permission: \(wanted.rawValue)"
    case .requestLocation: "request one location"
    case .watchExit(let place, let radius): "monitor \(Int(radius)) m around \(words(place))"
    case .stopWatchingExit: "stop monitoring the region"
    case .askMotionHistory(let from, let to): "request motion from \(time(from)) to \(time(to))"
    case .keepRest(let rest): rest.map { "store the place of rest \(words($0.coordinate))" } ?? "discard the place of rest"
    case .keepScreenOn(let isOn): isOn ? "keep the screen on" : "let the screen turn off"
    case .countSteps(let from, let to): "count steps from \(time(from)) to \(time(to))"
    case .record(let records): list(records.map(words), "record", "records")
    case .keepTrip(let trip): trip.map { "store the trip: \($0.mode.rawValue)" } ?? "discard the trip"
    case .keepTripModes: "store the modes of trips"
    case .keepLedger(let lines):
      "coverage log: "
        + lines.map {
          "\(time($0.start)) \($0.minutes) min "
            + "\($0.reason.title.lowercased())"
        }.joined(separator: "; ")
    case .keepSettings(let changes, let source):
      "settings \(words(source)): " + changes.map(\.description).joined(separator: ", ")
    case .keepTrial(let trial): trial == nil ? "settings confirmed or rolled back" : "settings not confirmed yet"
    case .setTimer(let timer, let date): "set timer: \(words(timer)) at \(time(date))"
    case .cancelTimer(let timer): "cancel timer: \(words(timer))"
    case .upload(let endpoint, let request):
      "upload to \(endpoint): "
        + (request.isAsking
          ? "a check-in"
          : request.isProbing ? "the next two, one by one" : "up to \(request.limit), \(request.loggingMode.rawValue)")
    case .setAside(let endpoint, let reason): "quarantine for \(endpoint): \(reason)"
    case .purge: "purge the journal"
    case .rememberTracking(let isOn): "store: tracking \(isOn ? "on" : "off")"
    case .notify(let notice, let date): "notice" + (date.map { " at \(time($0))" } ?? "") + ": \(notice.title)"
    case .withdraw(let kind): "withdraw notice: \(kind.rawValue)"
    case .fetchFinished(let number, let result): "background fetch \(number): \(result.rawValue)"
    case .tellLocation(let number, let answer):
      switch answer {
      case .record(let record): "location \(number): \(words(record))"
      case .problem(let reason): "no location \(number): \(reason)"
      }
    }
  }

  private static func words(_ fix: Fix) -> String {
    words(fix.coordinate) + (fix.horizontalAccuracy.map { " ±\(rounded($0)) m" } ?? "")
      + (fix.speed.map { " \(rounded($0)) m/s" } ?? "")
  }

  private static func words(_ place: Coordinate) -> String {
    String(format: "%.5f,%.5f", place.latitude, place.longitude)
  }

  private static func words(_ record: Record) -> String {
    switch record.kind {
    case .fix(let fix): words(fix)
    case .visit(let visit): "visit at \(words(visit.coordinate))"
    case .trip(let trip): "trip, \(trip.mode)"
    case .region(let event):
      "\(event.kind.rawValue) \(event.region.name.isEmpty ? event.region.id : event.region.name)"
    case .action(let action): action.name
    }
  }

  private static func words(_ motion: Motion) -> String {
    let seen = PanelLabels.activity(motion)
    return seen.isEmpty ? "none" : seen.joined(separator: ", ")
  }

  private static func words(_ timer: TimerID) -> String {
    switch timer {
    case .send(let endpoint): "send to \(endpoint)"
    case .tripGrace: "end of the trip's grace period"
    case .tripRest: "end of the trip's rest"
    case .steps: "waiting for steps"
    case .oneShot: "waiting for one location"
    case .lifeline: "check-in"
    case .trial: "rollback of settings"
    case .policy: "policy"
    }
  }

  private static func words(_ result: UploadResult) -> String {
    switch result {
    case .accepted(let remaining, let bytes): "accepted, \(bytes) bytes, \(remaining) queued"
    case .nothingToSend: "nothing to send"
    case .notYet(let date): "not before \(time(date))"
    case .failed(let reason, let wait, _):
      "failed: \(reason)" + (wait.map { " Again after \(rounded($0)) s." } ?? "")
    case .faulted(let reason, let status, let count, _): "failed at \(count) with status \(status): \(reason)"
    case .refused(let reason, let count): "rejected \(count): \(reason)"
    case .setAside(let remaining, _): "quarantined, \(remaining) queued"
    case .unauthorized(let reason, _): "unauthorized: \(reason)"
    }
  }

  private static func words(_ source: SettingsSource) -> String {
    switch source {
    case .owner: "by the owner"
    case .server(let endpoint): "by \(endpoint)"
    case .rollback(let endpoint): "of \(endpoint) rolled back"
    }
  }

  private static func words(_ context: DeviceContext) -> String {
    var parts: [String] = []
    if let level = context.batteryLevel { parts.append("battery \(Int((level * 100).rounded())) %") }
    if let state = context.batteryState { parts.append("\(state)") }
    if let wifi = context.wifi { parts.append("wifi \(wifi)") }
    return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
  }

  private static func words(_ values: [(name: String, value: SettingValue)]) -> String {
    values.isEmpty ? "no changes" : values.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
  }

  /// The first of several, and how many there are.
  private static func list(_ items: [String], _ one: String, _ many: String) -> String {
    guard let first = items.first else { return "no \(many)" }
    return items.count == 1 ? "\(one) \(first)" : "\(items.count) \(many), first \(first)"
  }

  private static func time(_ date: Date) -> String { RFC3339.string(date, .seconds) }
  private static func rounded(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}
