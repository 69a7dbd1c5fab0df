internal import Foundation
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus

/// Formats events and effects of an engine for users.
enum EventFormatter {
  static func describe(_ event: Event) -> String {
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
    case .answered(let response): "answered: \(response.rawValue)"
    case .authorizationChanged(let authorization): "permission: \(authorization.rawValue)"
    case .fixes(let fixes): list(fixes.map(describe), "fix", "fixes")
    case .fixesLost(let count, let reason): "\(count.counted("fix", "fixes")) lost: \(reason.title.lowercased())"
    case .visit(let visit, _): "visit at \(describe(visit.coordinate))"
    case .locationFailed(let reason): "no location: \(reason)"
    case .paused: "paused by the system"
    case .resumed: "resumed by the system"
    case .region(let event): "region: \(event.kind.rawValue) \(event.region.id)"
    case .leftRegion: "left the region"
    case .becameActive: "became active"
    case .backgroundFetch(let number, _): "background fetch \(number)"
    case .locationWanted(let number): "location requested \(number)"
    case .settingsChanged(let settings): "settings by the user: \(describe(settings.changes))"
    case .settingsSet(let desired): "settings by the user: \(describe(desired.map { ($0.name, $0.value) }))"
    case .settingsOffered(let endpoint, let desired):
      "settings by \(endpoint): \(describe(desired.map { ($0.name, $0.value) }))"
    case .contextChanged(let context): "device: \(describe(context))"
    case .motionChanged(let motion, let isSure):
      "motion: \(describe(motion))" + (isSure ? "" : ", uncertain")
    case .motionHistory(let spans):
      "motion history: "
        + (spans.isEmpty ? "unknown" : spans.map { "\(time($0.start)) \(describe($0.motion))" }.joined(separator: "; "))
    case .networkChanged(let isReachable, let isWifi):
      "network: " + (isReachable ? "reachable" : "not reachable") + (isWifi.map { $0 ? ", wifi" : ", no wifi" } ?? "")
    case .timerFired(let timer): "timer: \(describe(timer))"
    case .uploadFinished(let endpoint, let result): "upload to \(endpoint): \(describe(result))"
    case .recordsLost(let endpoint, let count, let isOld):
      "\(count.counted("record")) lost for \(endpoint): " + (isOld ? "too old" : "the journal was full")
    case .quarantinedLost(let endpoint, let count, let isOld):
      "\(count.counted("rejected record")) removed for \(endpoint): " + (isOld ? "too old" : "the journal was full")
    case .tick: "a minute has passed"
    case .willTerminate: "about to terminate"
    }
  }

  static func describe(_ effect: Effect) -> String {
    switch effect {
    case .configureLocation(let request):
      request.map {
        "location: \($0.mode.rawValue), \($0.desiredAccuracy.rawValue)"
          + ($0.distanceFilter.map { $0 < 1e6 ? ", each \(Int($0)) m" : ", few positions" } ?? "")
      } ?? "location: off"
    case .requestAuthorization(let wanted): "request permission: \(wanted.rawValue)"
    case .requestLocation: "request one location"
    case .watchExit(let place, let radius): "monitor \(Int(radius)) m around \(describe(place))"
    case .stopWatchingExit: "stop monitoring the region"
    case .askMotionHistory(let from, let to): "request motion from \(time(from)) to \(time(to))"
    case .storeRest(let rest): rest.map { "store the place of rest \(describe($0.coordinate))" } ?? "discard the place of rest"
    case .keepScreenOn(let isOn): isOn ? "keep the screen on" : "let the screen turn off"
    case .countSteps(let from, let to): "count steps from \(time(from)) to \(time(to))"
    case .record(let records): list(records.map(describe), "record", "records")
    case .storeTrip(let trip): trip.map { "store the trip: \($0.mode.rawValue)" } ?? "discard the trip"
    case .storeTripModes: "store the modes of trips"
    case .storeCoverage(let lines):
      "coverage log: "
        + lines.map {
          "\(time($0.start)) \($0.minutes) min "
            + "\($0.reason.title.lowercased())"
        }.joined(separator: "; ")
    case .storeSettings(let changes, let source):
      "settings \(describe(source)): " + changes.map(\.description).joined(separator: ", ")
    case .storeRollout(let rollout): rollout == nil ? "settings confirmed or rolled back" : "settings not confirmed yet"
    case .setTimer(let timer, let date): "set timer: \(describe(timer)) at \(time(date))"
    case .cancelTimer(let timer): "cancel timer: \(describe(timer))"
    case .upload(let endpoint, let request):
      "upload to \(endpoint): "
        + (request.isAsking
          ? "a check-in"
          : request.isProbing ? "the next two, one by one" : "up to \(request.limit), \(request.loggingMode.rawValue)")
    case .quarantine(let endpoint, let reason): "quarantine for \(endpoint): \(reason)"
    case .purge: "purge the journal"
    case .rememberTracking(let isOn): "store: tracking \(isOn ? "on" : "off")"
    case .notify(let notice, let date): "notice" + (date.map { " at \(time($0))" } ?? "") + ": \(notice.title)"
    case .withdraw(let kind): "withdraw notice: \(kind.rawValue)"
    case .fetchFinished(let number, let result): "background fetch \(number): \(result.rawValue)"
    case .reportLocation(let number, let response):
      switch response {
      case .record(let record): "location \(number): \(describe(record))"
      case .problem(let reason): "no location \(number): \(reason)"
      }
    }
  }

  private static func describe(_ fix: Fix) -> String {
    describe(fix.coordinate) + (fix.horizontalAccuracy.map { " ±\(rounded($0)) m" } ?? "")
      + (fix.speed.map { " \(rounded($0)) m/s" } ?? "")
  }

  private static func describe(_ place: Coordinate) -> String {
    String(format: "%.5f,%.5f", place.latitude, place.longitude)
  }

  private static func describe(_ record: Record) -> String {
    switch record.kind {
    case .fix(let fix): describe(fix)
    case .visit(let visit): "visit at \(describe(visit.coordinate))"
    case .trip(let trip): "trip, \(trip.mode)"
    case .region(let event):
      "\(event.kind.rawValue) \(event.region.name.isEmpty ? event.region.id : event.region.name)"
    case .action(let action): action.name
    }
  }

  private static func describe(_ motion: Motion) -> String {
    let seen = StatusLabels.activity(motion)
    return seen.isEmpty ? "none" : seen.joined(separator: ", ")
  }

  private static func describe(_ timer: TimerID) -> String {
    switch timer {
    case .send(let endpoint): "send to \(endpoint)"
    case .tripGrace: "end of the trip's grace period"
    case .tripRest: "end of the trip's rest"
    case .steps: "waiting for steps"
    case .oneShot: "waiting for one location"
    case .checkIn: "check-in"
    case .rollout: "rollback of settings"
    case .policy: "policy"
    }
  }

  private static func describe(_ result: UploadResult) -> String {
    switch result {
    case .accepted(let remaining, let bytes): "accepted, \(bytes) bytes, \(remaining) queued"
    case .nothingToSend: "nothing to send"
    case .notYet(let date): "not before \(time(date))"
    case .failed(let reason, let wait, _):
      "failed: \(reason)" + (wait.map { " Again after \(rounded($0)) s." } ?? "")
    case .faulted(let reason, let status, let count, _): "failed at \(count) with status \(status): \(reason)"
    case .rejected(let reason, let count): "rejected \(count): \(reason)"
    case .quarantined(let remaining, _): "quarantined, \(remaining) queued"
    case .unauthorized(let reason, _): "unauthorized: \(reason)"
    }
  }

  private static func describe(_ source: SettingsSource) -> String {
    switch source {
    case .user: "by the user"
    case .server(let endpoint): "by \(endpoint)"
    case .rollback(let endpoint): "of \(endpoint) rolled back"
    }
  }

  private static func describe(_ context: DeviceContext) -> String {
    var parts: [String] = []
    if let level = context.batteryLevel { parts.append("battery \(Int((level * 100).rounded())) %") }
    if let state = context.batteryState { parts.append("\(state)") }
    if let wifi = context.wifi { parts.append("wifi \(wifi)") }
    return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
  }

  private static func describe(_ values: [(name: String, value: SettingValue)]) -> String {
    values.isEmpty ? "no changes" : values.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
  }

  /// Returns the first of several items, and their number.
  private static func list(_ items: [String], _ one: String, _ many: String) -> String {
    guard let first = items.first else { return "no \(many)" }
    return items.count == 1 ? "\(one) \(first)" : "\(items.count) \(many), first \(first)"
  }

  private static func time(_ date: Date) -> String { RFC3339.string(date, .seconds) }
  private static func rounded(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}
