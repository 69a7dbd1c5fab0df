public import GodwitModel

/// An event that disturbs a phone or its app: an action of the user, the system, the surroundings or the server.
///
/// ``World`` applies the hazards of radio, network and battery. The code that runs the app and the server applies the others.
public enum Hazard: Sendable, Hashable {
  // The user.
  case open
  case close
  /// The user swiped the app away.
  case forceQuit
  case lock
  case unlock
  case reboot
  case permission(LocationPermission)
  /// Whether the app gets positions with full accuracy.
  case precise(Bool)
  /// Whether the location services of the phone are on.
  case services(Bool)
  case motionPermission(Bool)
  case backgroundRefresh(Bool)
  case lowPower(Bool)
  case aeroplane(Bool)
  case wifi(Bool)
  case cellular(Bool)
  // The system.
  /// The system ends the app without notice, to free memory.
  case kill
  case suspend
  /// The system is upgraded and the phone restarts. Until the next restart nothing wakes or launches an app for its location
  /// (openradar 35990983).
  case upgrade
  /// The app is updated: it ends, and its stored data remain.
  case updateApp
  /// The app is removed and installed again: its stored data are deleted and it requests its permissions again.
  case reinstall
  /// The system pauses location updates.
  case pause
  /// The next event is lost, reported twice, or reported late by a number of seconds.
  case loseEvent
  case repeatEvent
  case delayEvent(seconds: Double)
  /// The next position is a number of seconds old.
  case staleFix(seconds: Double)
  /// The next position is reported `count` times.
  case burst(count: Int)
  /// The system reports a region of its own to the app.
  case systemRegion
  /// The motion chip reports a wrong motion for a number of seconds. An empty motion means that the motion is unknown.
  case flicker(Motion, seconds: Double)
  // Radio, network and battery.
  case captive(Bool)
  /// The wifi routers nearby were moved here from 30 km to the north, and the position database still has their old positions.
  case movedRouter(Bool)
  /// Factor of the radio's power: 1 with a good signal, 3 at the edge of coverage.
  case signal(cost: Double)
  case charger(Bool)
  case batteryLevel(Double)
  // The phone's clock is set: seconds forward, or back if negative.
  case clock(shift: Double)
  // The server.
  case server(Bool)
  /// Seconds that the server takes for each response.
  case slowServer(seconds: Double)
  /// The server processes requests, and its responses are lost.
  case loseReplies(Bool)
  /// The status of all responses of the server; 0 ends this hazard.
  case serverStatus(Int)

  /// The hazard as a script contains it: "permission denied".
  public var text: String {
    switch self {
    case .open: "open"
    case .close: "close"
    case .forceQuit: "force-quit"
    case .lock: "lock"
    case .unlock: "unlock"
    case .reboot: "reboot"
    case .permission(let permission): "permission \(permission.rawValue)"
    case .precise(let isOn): Self.text("precise", isOn)
    case .services(let isOn): Self.text("services", isOn)
    case .motionPermission(let isOn): Self.text("motion", isOn)
    case .backgroundRefresh(let isOn): Self.text("background-refresh", isOn)
    case .lowPower(let isOn): Self.text("low-power", isOn)
    case .aeroplane(let isOn): Self.text("aeroplane", isOn)
    case .wifi(let isOn): Self.text("wifi", isOn)
    case .cellular(let isOn): Self.text("cellular", isOn)
    case .kill: "kill"
    case .suspend: "suspend"
    case .upgrade: "upgrade"
    case .updateApp: "update-app"
    case .reinstall: "reinstall"
    case .pause: "pause"
    case .loseEvent: "lose-event"
    case .repeatEvent: "repeat-event"
    case .delayEvent(let seconds): "delay-event \(ScriptTime.text(seconds))"
    case .staleFix(let seconds): "stale-fix \(ScriptTime.text(seconds))"
    case .burst(let count): "burst \(count)"
    case .systemRegion: "system-region"
    case .flicker(let motion, let seconds): "flicker \(Self.text(motion)) \(ScriptTime.text(seconds))"
    case .captive(let isOn): Self.text("captive", isOn)
    case .movedRouter(let isOn): Self.text("moved-router", isOn)
    case .signal(let cost): "signal \(cost)"
    case .charger(let isOn): Self.text("charger", isOn)
    case .batteryLevel(let level): "battery \(level)"
    case .clock(let shift): "clock \(shift < 0 ? "-" : "+")\(ScriptTime.text(abs(shift)))"
    case .server(let isOn): Self.text("server", isOn)
    case .slowServer(let seconds): "slow-server \(ScriptTime.text(seconds))"
    case .loseReplies(let isOn): Self.text("lose-replies", isOn)
    case .serverStatus(let status): "server-status \(status)"
    }
  }

  /// Parses the format of ``text``.
  /// - Throws: ``HazardScript/ScriptError`` with the error and the permitted values.
  public init(text: String) throws(HazardScript.ScriptError) {
    self = try Self.read(text.split(whereSeparator: \.isWhitespace)).get()
  }

  private static func text(_ word: String, _ isOn: Bool) -> String { "\(word) \(isOn ? "on" : "off")" }

  private static let motions: [(word: Substring, motion: Motion)] = [
    ("walking", .walking), ("running", .running), ("cycling", .cycling), ("driving", .driving), ("stationary", .stationary),
  ]

  private static func text(_ motion: Motion) -> String {
    let words = motions.filter { motion.contains($0.motion) }.map(\.word)
    return words.isEmpty ? "unknown" : words.joined(separator: "+")
  }

  /// Parses "driving+stationary 20s" or "unknown 20s".
  private static func flicker(_ words: ArraySlice<Substring>) -> Result<Hazard, HazardScript.ScriptError> {
    let advice = "flicker takes a motion and a time, such as driving+stationary 20s or unknown 5s"
    guard words.count == 2, let text = words.first, let seconds = words.last.flatMap({ ScriptTime.seconds(String($0)) }) else {
      return .failure(HazardScript.ScriptError(description: advice))
    }
    var seen: Motion = []
    for word in text == "unknown" ? [] : text.split(separator: "+", omittingEmptySubsequences: false) {
      guard let motion = motions.first(where: { $0.word == word })?.motion else {
        let known = motions.map(\.word).joined(separator: ", ")
        return .failure(HazardScript.ScriptError(description: "there is no motion \"\(word)\"; known are unknown, \(known)"))
      }
      seen.insert(motion)
    }
    return .success(.flicker(seen, seconds: seconds))
  }

  private static let plain: [Hazard] = [
    .open, .close, .forceQuit, .lock, .unlock, .reboot, .kill, .suspend, .upgrade, .updateApp, .reinstall, .pause, .loseEvent,
    .repeatEvent,
    .systemRegion,
  ]
  private static let switches: [String: @Sendable (Bool) -> Hazard] = [
    "precise": { .precise($0) }, "services": { .services($0) }, "motion": { .motionPermission($0) },
    "background-refresh": { .backgroundRefresh($0) }, "low-power": { .lowPower($0) }, "aeroplane": { .aeroplane($0) },
    "wifi": { .wifi($0) }, "cellular": { .cellular($0) }, "captive": { .captive($0) }, "moved-router": { .movedRouter($0) },
    "charger": { .charger($0) },
    "server": { .server($0) }, "lose-replies": { .loseReplies($0) },
  ]

  /// Parses the format of ``text``. The error contains the permitted values.
  static func read(_ words: [Substring]) -> Result<Hazard, HazardScript.ScriptError> {
    func fault(_ text: String) -> Result<Hazard, HazardScript.ScriptError> {
      .failure(HazardScript.ScriptError(description: text))
    }
    guard let word = words.first.map(String.init) else { return fault("the name of a hazard is missing") }
    if word == "flicker" { return flicker(words.dropFirst()) }
    guard words.count <= 2 else { return fault("\"\(words[2])\" is an unexpected word") }
    let value = words.count == 2 ? String(words[1]) : nil
    if let hazard = plain.first(where: { $0.text == word }) {
      return value == nil ? .success(hazard) : fault("\(word) takes no value; remove \"\(value ?? "")\"")
    }
    if let make = switches[word] {
      switch value {
      case "on": return .success(make(true))
      case "off": return .success(make(false))
      default: return fault("\(word) takes on or off")
      }
    }
    func number(_ range: ClosedRange<Double>) -> Double? { value.flatMap(Double.init).flatMap { range.contains($0) ? $0 : nil } }
    switch word {
    case "permission":
      if let permission = value.flatMap(LocationPermission.init(rawValue:)) { return .success(.permission(permission)) }
      return fault("permission takes not_determined, restricted, denied, when_in_use or authorized_always")
    case "delay-event", "stale-fix", "slow-server":
      guard let seconds = value.flatMap(ScriptTime.seconds) else { return fault("\(word) takes a time such as 1h30m or 20s") }
      return .success(
        word == "delay-event"
          ? .delayEvent(seconds: seconds) : word == "stale-fix" ? .staleFix(seconds: seconds) : .slowServer(seconds: seconds))
    case "burst":
      if let count = value.flatMap({ Int($0) }), (1...10_000).contains(count) { return .success(.burst(count: count)) }
      return fault("burst takes a number, 1 to 10000")
    case "signal":
      if let cost = number(1...10) { return .success(.signal(cost: cost)) }
      return fault("signal takes a factor, 1 to 10")
    case "battery":
      if let level = number(0...1) { return .success(.batteryLevel(level)) }
      return fault("battery takes a level, 0 to 1")
    case "clock":
      if let value, let sign = value.first, sign == "+" || sign == "-",
        let seconds = ScriptTime.seconds(String(value.dropFirst()))
      {
        return .success(.clock(shift: sign == "-" ? -seconds : seconds))
      }
      return fault("clock takes a time with a sign, such as -1h")
    case "server-status":
      if let status = value.flatMap({ Int($0) }), status == 0 || (100...599).contains(status) {
        return .success(.serverStatus(status))
      }
      return fault("server-status takes a status, 100 to 599, or 0")
    default: return fault("unknown hazard \"\(word)\"; see Documentation/Simulator.md")
    }
  }
}

/// Durations of a script: "1d2h3m4.5s".
package enum ScriptTime {
  private static let units: [(symbol: Character, seconds: Double)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]

  /// Returns seconds, 0 or more; `nil` for any other text. Each unit occurs at most once, the largest first.
  package static func seconds(_ text: String) -> Double? {
    var rest = Substring(text)
    var sum = 0.0
    var allowed = units[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      rest = rest.dropFirst(digits.count)
      guard let number = Double(digits), let symbol = rest.popFirst(),
        let index = allowed.firstIndex(where: { $0.symbol == symbol })
      else { return nil }
      sum += number * units[index].seconds
      allowed = units[(index + 1)...]
    }
    // A hundred years. A longer time is a typing error.
    return text.isEmpty || sum > 3.2e9 ? nil : sum
  }

  /// Returns the text of a duration, rounded to a microsecond.
  package static func text(_ seconds: Double) -> String {
    var left = Int64((max(0, seconds) * 1e6).rounded())
    if left == 0 { return "0s" }
    var text = ""
    for (symbol, size) in units.dropLast() {
      let whole = left / Int64(size * 1e6)
      if whole > 0 { text += "\(whole)\(symbol)" }
      left -= whole * Int64(size * 1e6)
    }
    guard left > 0 else { return text }
    let fraction = left % 1_000_000
    guard fraction > 0 else { return text + "\(left / 1_000_000)s" }
    var digits = String(fraction + 1_000_000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return text + "\(left / 1_000_000).\(digits)s"
  }
}
