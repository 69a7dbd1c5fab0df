internal import Foundation
internal import GodwitModel
internal import GodwitPhone
internal import GodwitSimulator
internal import GodwitTracks

extension Scenario {
  /// Parses a scenario.
  /// - Parameters:
  ///   - text: The text of the scenario.
  ///   - folder: Folder of the files that the text names; `nil` to permit no files.
  /// - Throws: ``ScenarioError`` with the line number, the error and the permitted values.
  public init(text: String, folder: String? = nil) throws(ScenarioError) {
    self = try Self.read(text, folder: folder, name: nil)
  }

  /// Reads a scenario from a file.
  /// - Parameter path: Path of the file. The tracks that it names are in the same folder.
  /// - Throws: ``ScenarioError`` with the file, the line, the error and the permitted values.
  public init(path: String) throws(ScenarioError) {
    let url = URL(fileURLWithPath: path)
    guard let text = try? String(contentsOf: url, encoding: .utf8) else {
      throw ScenarioError(description: "\(path): it cannot be read; use a file with the text of a scenario")
    }
    self = try Self.read(text, folder: url.deletingLastPathComponent().path, name: url.lastPathComponent)
  }

  /// Reads all scenarios of a folder, sorted by file name.
  /// - Parameter folder: A folder with files that end in ".scenario".
  /// - Throws: ``ScenarioError`` for an error in a file, and if the folder has no such file.
  public static func all(in folder: String) throws(ScenarioError) -> [Scenario] {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".scenario") }
    guard !names.isEmpty else {
      throw ScenarioError(description: "\(folder): there is no scenario in the folder; expected files that end in .scenario")
    }
    var scenarios: [Scenario] = []
    for name in names.sorted() { scenarios.append(try Scenario(path: folder + "/" + name)) }
    return scenarios
  }

  /// Reads all scenarios of the folder "Scenarios" beside the source of a test, for its `arguments:`.
  ///
  ///     @Test("what must be true", arguments: try Scenario.all(beside: #filePath))
  ///
  /// - Parameter source: The source file of the test.
  /// - Throws: ``ScenarioError`` for an error in a file, and if the folder has no such file.
  public static func all(beside source: String) throws(ScenarioError) -> [Scenario] {
    try all(in: URL(fileURLWithPath: source).deletingLastPathComponent().appendingPathComponent("Scenarios").path)
  }

  private static func read(_ text: String, folder: String?, name: String?) throws(ScenarioError) -> Scenario {
    var reader = ScenarioReader(folder: folder)
    reader.scenario.file = name
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      do throws(LineFault) { try reader.read(line, number) } catch {
        throw ScenarioError(description: "\(name.map { $0 + ", " } ?? "")line \(number): \(error.text)")
      }
    }
    do throws(LineFault) { return try reader.finished() } catch {
      throw ScenarioError(description: "\(name.map { $0 + ": " } ?? "")\(error.text)")
    }
  }
}

/// Parses the lines of a scenario one by one.
struct ScenarioReader {
  var scenario = Scenario()
  private let folder: String?
  private var hazards: [HazardScript.Line] = []
  private var networkBeginning: NetworkCondition?
  private var networkSteps: [NetworkScript.Step] = []
  private var hasBegun = false

  init(folder: String?) { self.folder = folder }

  private static let pieces = ["walk", "run", "cycle", "drive", "sail", "fly"]
  private static let speeds: [String: MetersPerSecond] = [
    "walk": 1.4, "run": 2.8, "cycle": 5, "drive": 15, "sail": 6, "fly": 230,
  ]
  private static let words = [
    "title", "evidence", "systems", "policy", "set", "seed", "network", "answer", "battery", "closes", "around", "stay", "tunnel",
    "file", "expect",
  ]

  mutating func read(_ line: Substring, _ number: Int) throws(LineFault) {
    var words = Tokenizer(line)
    guard let word = words.next() else { return }
    switch word {
    case "title", "evidence":
      let text = Self.text(line)
      guard !text.isEmpty else { throw LineFault("\(word) takes a few words") }
      if word == "title" { scenario.title = text } else { scenario.evidence.append(text) }
      return
    case "systems": scenario.systems = try words.systems()
    case "policy": scenario.settings.apply(try words.choice("a preset", Preset.self))
    case "set": try set(&words)
    case "seed":
      guard let seed = words.next().flatMap(UInt64.init) else { throw LineFault("expected a whole number, 0 or more") }
      scenario.seed = seed
    case "network": networkBeginning = .usual(try words.choice("a network", NetworkKind.self))
    case "answer": scenario.response = try words.choice("an answer", Self.responses)
    case "battery": scenario.batteryLevel = try Self.percent(&words)
    case "closes": scenario.closesAfter = words.consume("never") ? nil : try words.seconds()
    case "around":
      try beforeRoute(word)
      scenario.route.surroundings = try Self.surroundings(&words)
    case "expect":
      hasBegun = true
      scenario.expectations.append(try Expectation(&words, scenario.route.start, text: Self.text(line), line: number))
    default: try readRoute(word, &words)
    }
    try words.end()
  }

  mutating func finished() throws(LineFault) -> Scenario {
    guard !scenario.title.isEmpty else { throw LineFault("it has no title; begin it with a line \"title\" and a few words") }
    scenario.hazards = HazardScript(hazards)
    if networkBeginning != nil || !networkSteps.isEmpty {
      scenario.network = NetworkScript(networkBeginning ?? .lte, steps: networkSteps)
    }
    return scenario
  }

  /// Returns the text after the first word.
  private static func text(_ line: Substring) -> String {
    let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    return words.count < 2 ? "" : words[1].trimmingCharacters(in: .whitespaces)
  }

  // MARK: Settings

  private static let responses: [String: SimulatedPhone.PermissionResponse] = [
    "once": .once, "while-using": .whileUsing, "always": .always, "deny": .deny,
  ]

  private mutating func set(_ words: inout Tokenizer) throws(LineFault) {
    guard let name = words.next(), let value = words.next() else {
      throw LineFault("set takes the name of a setting and its value")
    }
    if case .list = Settings.entry(name)?.kind {
      var items = [value]
      while let item = words.next() { items.append(item) }
      return try set(name, to: [.list(items)])
    }
    let flags: [SettingValue] = value == "true" || value == "false" ? [.flag(value == "true")] : []
    try set(name, to: flags + [.text(value)] + (Double(value).map { [.number($0)] } ?? []))
  }

  /// Tries the possible values of a word in order.
  private mutating func set(_ name: String, to values: [SettingValue]) throws(LineFault) {
    var fault: SettingError?
    for value in values {
      do throws(SettingError) {
        try scenario.settings.set(name, to: value)
        return
      } catch { fault = fault ?? error }
    }
    throw LineFault(fault?.description ?? "")
  }

  private static func percent(_ words: inout Tokenizer) throws(LineFault) -> Double {
    let number = try words.number(in: [("%", 1)])
    guard (0...100).contains(number) else { throw LineFault("expected 0 to 100 %") }
    return number / 100
  }

  private static func surroundings(_ words: inout Tokenizer) throws(LineFault) -> Surroundings {
    if words.consume("town") { return .town }
    let kind = try words.choice("an outdoor environment, or town", Environment.self)
    guard kind.seesSky else { throw LineFault("\(kind.rawValue) is not outdoors; set it for a part of the route") }
    return .only(kind)
  }

  // MARK: Route and events

  private mutating func beforeRoute(_ word: String) throws(LineFault) {
    guard hasBegun else { return }
    throw LineFault(
      "\"\(word)\" must be before the first line of the day: a home, a part of the route, an event or an expectation")
  }

  private mutating func readRoute(_ word: String, _ words: inout Tokenizer) throws(LineFault) {
    if word.first == "+" || word.contains(":") { return try parseTime(word, &words) }
    guard Self.pieces.contains(word) || ["stay", "tunnel", "file"].contains(word) else {
      let known = (Self.words + Self.pieces).sorted().joined(separator: ", ")
      throw LineFault("\"\(word)\" does not begin a line; a line begins with a time such as 08:20 or +20m, or with \(known)")
    }
    hasBegun = true
    if word == "file" { return try follow(&words) }
    let seconds = try words.seconds()
    switch word {
    case "stay": scenario.route = scenario.route.stay(seconds, in: try Self.environment(&words))
    case "tunnel": scenario.route = scenario.route.tunnel(seconds)
    default:
      let speed = words.consume("at") ? try words.speed() : Self.speeds[word] ?? 0
      guard (0...320).contains(speed) else { throw LineFault("expected a speed of 0 to 320 m/s") }
      let heading =
        words.consume("course")
        ? Route.Heading(degrees: try words.number())
        : try words.choice("a direction, or course and degrees,", Route.Heading.named)
      let environment = try Self.environment(&words) ?? (word == "fly" ? .flight : nil)
      scenario.route = scenario.route.go(seconds, at: speed, toward: heading, in: environment)
    }
  }

  private static func environment(_ words: inout Tokenizer) throws(LineFault) -> Environment? {
    guard !words.isEmpty else { return nil }
    return try words.choice("an environment", Environment.self)
  }

  private mutating func parseTime(_ word: String, _ words: inout Tokenizer) throws(LineFault) {
    if words.first == "home" {
      _ = words.next()
      try beforeRoute("home")
      guard let seconds = Tokenizer.clock(word) else {
        throw LineFault("a day begins at a time such as 08:00, not at \"\(word)\"")
      }
      hasBegun = true
      let surroundings = scenario.route.surroundings
      let place = words.isEmpty ? Route.home : try Self.place(&words)
      let midnight = Route.morning - 8 * 3_600
      scenario.route = Route(from: midnight + seconds, at: place)
      scenario.route.surroundings = surroundings
      return
    }
    guard let time = Tokenizer.timestamp(word, scenario.route.start) else {
      throw LineFault("\"\(word)\" is not a time; write 08:20, 08:20:30 or +20m")
    }
    // Later times refer to this start.
    hasBegun = true
    if words.consume("network") {
      networkSteps.append(.init(from: time, .usual(try words.choice("a network", NetworkKind.self))))
      return
    }
    let after = time - scenario.route.start
    do throws(HazardScript.ScriptError) {
      hazards.append(.init(after: after, try Hazard(text: words.rest)))
    } catch { throw LineFault(error.description) }
    while words.next() != nil {}
  }

  private static func place(_ words: inout Tokenizer) throws(LineFault) -> Coordinate {
    let latitude = try words.number()
    guard let place = Coordinate(latitude: latitude, longitude: try words.number()) else {
      throw LineFault("expected a latitude of -90 to 90 and a longitude of -180 to 180")
    }
    return place
  }

  private mutating func follow(_ words: inout Tokenizer) throws(LineFault) {
    guard let name = words.next() else { throw LineFault("file takes the name of a track (GPX, NMEA, PLT)") }
    guard let folder else { throw LineFault("a scenario without a folder cannot name files") }
    var fixes: [Fix] = []
    do {
      let file = try TrackFile(path: folder + "/" + name)
      while let points = try file.next() { fixes += points.compactMap(\.fix) }
    } catch { throw LineFault("\(error)") }
    guard !fixes.isEmpty else { throw LineFault("\(name) has no position with a time") }
    scenario.route = scenario.route.follow(fixes)
  }
}
