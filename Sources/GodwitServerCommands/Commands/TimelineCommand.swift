internal import Foundation
internal import GodwitCommandLine
internal import GodwitDeletion
internal import GodwitHistory
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitText
internal import GodwitVisits

/// `godwit timeline …`
struct TimelineCommand: Command {
  static let name = "timeline"
  static let abstract = "Show visits and trips, and correct them."
  static let discussion = """
    A correction is stored beside the computed timeline. It stays when more points arrive, and points are not changed. It can be
    undone for a week. Works beside a running server.
    """
  static let examples = [
    (line: "godwit timeline show phone --from 2026-11-20", purpose: "A day"),
    (line: "godwit timeline rename phone --at 2026-11-20T10:00:00Z --name Dentist", purpose: "Name a visit"),
    (line: "godwit timeline mode phone --at 2026-11-20T09:10:00Z --mode train", purpose: "Correct the mode of a trip"),
  ]
  static let subcommands: [any Command.Type] = [
    TimelineShow.self, TimelineConfirm.self, TimelineRename.self, TimelineMove.self, TimelineMerge.self, TimelineSplit.self,
    TimelineMode.self, TimelineDelete.self, TimelineCorrections.self, TimelineUndo.self,
  ]
  func run() async throws {}
}

/// `godwit timeline show`
struct TimelineShow: StoreCommand {
  static let name = "show"
  static let abstract = "List visits and trips of a time, with corrections."
  static let examples = [(line: "godwit timeline show phone --from 2026-11-01 --to 2026-12-01 --json", purpose: "For a program")]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let storeOptions = StoreOptions()
  @Option("from", "TIME", "Start: 2026-11-20 or 2026-11-20T08:30:00Z")
  var from: Date
  @OptionalOption("to", "TIME", "End (exclusive); a day after the start without it")
  var to: Date?
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let end = to ?? from.addingTimeInterval(86_400)
    guard from < end else { throw UsageError("--to is not after --from") }
    let store = try openStore()
    defer { store.close() }
    let device = try store.neededDevice(devices[0])
    try RecomputeWorker(database: store).processBacklog(ofDevice: device.id)
    let times = from.millisecondsSince1970..<end.millisecondsSince1970
    let lines = try store.read { db in
      let finder = try PlaceFinder(device: device.id, db)
      let timeline = CorrectedTimeline(db)
      let query = TimelineRows.Query(device: device.id, times: times)
      return TimelineEntry.ordered(try timeline.visits(query), try timeline.trips(query)).map { TimelineLine($0, finder) }
    }
    if json {
      let list = lines.map(\.object)
      return Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
    }
    if lines.isEmpty { return Output.log("\(device.name) has no visits and trips in this time.") }
    Output.result(TextTable.text([["START", "END", "KIND", "WHAT", "CONFIRMED"]] + lines.map(\.row)))
  }
}

/// A visit or a trip in the form that is shown to the user.
private struct TimelineLine: Sendable {
  let entry: TimelineEntry
  let place: String?

  init(_ entry: TimelineEntry, _ finder: PlaceFinder) {
    self.entry = entry
    place = entry.visit.flatMap { $0.name ?? finder.place(of: $0)?.options.name }
  }

  private var start: Date { Date(millisecondsSince1970: entry.start) }
  private var end: Date? {
    entry.visit.map { $0.visit.departure == nil } == true ? nil : Date(millisecondsSince1970: entry.end)
  }

  var row: [String] {
    let (kind, what, isConfirmed): (String, String, Bool) =
      switch entry {
      case .visit(let shown): ("visit", place ?? shown.visit.coordinate.shown, shown.isConfirmed)
      case .trip(let shown): ("trip", "\(shown.trip.mode), \(Int(shown.trip.distance.rounded()).grouped) m", shown.isConfirmed)
      }
    return [start.formattedUTC, end?.formattedUTC ?? "-", kind, what, isConfirmed ? "yes" : "-"]
  }

  var object: [String: Any] {
    var object: [String: Any] = ["start": RFC3339.string(start)]
    object["end"] = end.map { RFC3339.string($0) }
    switch entry {
    case .visit(let shown):
      object["kind"] = "visit"
      object["latitude"] = shown.visit.coordinate.latitude
      object["longitude"] = shown.visit.coordinate.longitude
      object["place"] = place
      object["confirmed"] = shown.isConfirmed
    case .trip(let shown):
      object["kind"] = "trip"
      object["mode"] = shown.trip.mode.rawValue
      object["distance"] = shown.trip.distance.rounded()
      object["confirmed"] = shown.isConfirmed
    }
    return object
  }
}

extension Coordinate {
  /// The latitude and longitude, rounded to about a metre.
  fileprivate var shown: String { "\((latitude * 1e5).rounded() / 1e5),\((longitude * 1e5).rounded() / 1e5)" }
}

extension StoreDatabase {
  fileprivate func neededDevice(_ name: String) throws -> Device {
    guard let device = try device(named: name) else {
      throw Failure("No device is called \"\(name)\". `godwit device list` shows all devices.")
    }
    return device
  }
}

// MARK: Correcting

/// The options that select the corrected entries.
struct EntryOptions: OptionGroup {
  let storeOptions = StoreOptions()
  @Option("at", "TIME", "A time of the visit or trip: 2026-11-20T08:30:00Z")
  var at: Date
  @Flag(
    "trip", "The trip of that time, not the visit; without effect on rename, which is for visits, and mode, which is for trips")
  var isTrip: Bool
  @Flag("json", "Print JSON")
  var json: Bool
}

/// A command that corrects a visit or a trip.
@MainActor
private protocol CorrectingCommand: StoreCommand {
  var devices: [String] { get }
  var entry: EntryOptions { get }
}

extension CorrectingCommand {
  var storeOptions: StoreOptions { entry.storeOptions }

  /// Corrects the entry at the time of the option `--at`, or all entries up to `end`.
  /// - Parameter end: the end of a range of entries; `nil` for a single entry.
  fileprivate func correct(
    _ action: TimelineCorrection.Action, _ kind: TimelineCorrection.Target.Kind? = nil, until end: Date? = nil
  ) async throws {
    let store = try openStore()
    defer { store.close() }
    let device = try store.neededDevice(devices[0])
    try RecomputeWorker(database: store).processBacklog(ofDevice: device.id)
    let first = entry.at.millisecondsSince1970
    let last = max(first, end?.millisecondsSince1970 ?? first)
    let kind = kind ?? (entry.isTrip ? .trip : .visit)
    let now = Date()
    let made: TimelineCorrection
    do {
      made = try await store.write { try CorrectionEditor(device: device.id, $0).add(action, to: kind, first...last, at: now) }
    } catch let rejection as CorrectionEditor.Rejection { throw Failure("\(rejection)") }
    if entry.json {
      Output.result(#"{"id":\#(made.label.jsonQuoted)}"# + "\n")
    } else {
      Output.log("Corrected. `godwit timeline undo \(made.label)` undoes it.")
    }
  }
}

/// `godwit timeline confirm`
struct TimelineConfirm: CorrectingCommand {
  static let name = "confirm"
  static let abstract = "Confirm a visit or a trip."
  static let examples = [(line: "godwit timeline confirm phone --at 2026-11-20T10:00:00Z", purpose: "The visit of that time")]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let entry = EntryOptions()

  func run() async throws { try await correct(.confirm) }
}

/// `godwit timeline rename`
struct TimelineRename: CorrectingCommand {
  static let name = "rename"
  static let abstract = "Name a visit, or choose its place; other visits there keep their names."
  static let examples = [
    (line: "godwit timeline rename phone --at 2026-11-20T10:00:00Z --place place_3", purpose: "Choose a named place")
  ]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let entry = EntryOptions()
  @OptionalOption("name", "NAME", "The name of this visit")
  var name: String?
  @OptionalOption("place", "ID", "A named place: place_3")
  var place: String?

  func run() async throws {
    switch (name, place) {
    case (let name?, nil):
      guard (1...100).contains(name.count) else { throw UsageError("--name: expected 1 to 100 characters") }
      try await correct(.rename(.text(name)), .visit)
    case (nil, let place?):
      guard let number = NamedPlace.number(of: place) else {
        throw UsageError("--place \(place): expected an id such as place_3")
      }
      try await correct(.rename(.place(number)), .visit)
    case (nil, nil), (.some, .some): throw UsageError("give either --name or --place")
    }
  }
}

/// `godwit timeline move`
struct TimelineMove: CorrectingCommand {
  static let name = "move"
  static let abstract = "Change where a visit was, or when a visit or trip began and ended."
  static let examples = [
    (line: "godwit timeline move phone --at 2026-11-20T10:00:00Z --to 46.05,14.5", purpose: "It was elsewhere"),
    (
      line: "godwit timeline move phone --at 2026-11-20T10:00:00Z --start 2026-11-20T09:45:00Z",
      purpose: "It began earlier; the trip before ends then"
    ),
  ]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let entry = EntryOptions()
  @OptionalOption("to", "LAT,LON", "Where the visit was, in degrees")
  var to: PlaceArgument?
  @OptionalOption("start", "TIME", "When it began")
  var start: Date?
  @OptionalOption("end", "TIME", "When it ended")
  var end: Date?

  func run() async throws {
    guard to != nil || start != nil || end != nil else { throw UsageError("give --to, --start or --end") }
    if entry.isTrip, to != nil { throw UsageError("a trip has no place; give --start or --end") }
    try await correct(
      .move(
        TimelineCorrection.Move(
          place: to.map { FixedPosition($0.place) }, start: start?.millisecondsSince1970, end: end?.millisecondsSince1970)))
  }
}

/// `godwit timeline merge`
struct TimelineMerge: CorrectingCommand {
  static let name = "merge"
  static let abstract = "Merge all visits (or trips) between two times into one."
  static let examples = [
    (
      line: "godwit timeline merge phone --at 2026-11-20T10:00:00Z --until 2026-11-20T12:00:00Z",
      purpose: "Visits, and what lies between them"
    )
  ]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let entry = EntryOptions()
  @Option("until", "TIME", "A time of the last one")
  var until: Date

  func run() async throws {
    guard until > entry.at else { throw UsageError("--until is not after --at") }
    try await correct(.merge, until: until)
  }
}

/// `godwit timeline split`
struct TimelineSplit: CorrectingCommand {
  static let name = "split"
  static let abstract = "Split a visit or a trip in two, at a time."
  static let examples = [(line: "godwit timeline split phone --at 2026-11-20T10:00:00Z --trip", purpose: "A trip")]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let entry = EntryOptions()

  func run() async throws { try await correct(.split(at: entry.at.millisecondsSince1970, place: nil)) }
}

/// `godwit timeline mode`
struct TimelineMode: CorrectingCommand {
  static let name = "mode"
  static let abstract = "Change the mode of a trip, or of its part between two times."
  static let examples = [
    (line: "godwit timeline mode phone --at 2026-11-20T09:10:00Z --mode train", purpose: "The trip of that time")
  ]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let entry = EntryOptions()
  @Option("mode", "MODE", "The mode: \(TravelMode.allCases.map(\.rawValue).joined(separator: ", "))")
  var mode: TravelMode
  @OptionalOption("until", "TIME", "The end of the part, which begins with --at")
  var until: Date?

  func run() async throws {
    if let until, until <= entry.at { throw UsageError("godwit timeline mode: --until is not after --at") }
    try await correct(.mode(mode), .trip, until: until)
  }
}

extension TravelMode: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let mode = TravelMode(rawValue: argument) else {
      throw UsageError(
        "\"\(argument)\" is not a mode; expected one of \(TravelMode.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = mode
  }
}

/// `godwit timeline delete`
struct TimelineDelete: CorrectingCommand {
  static let name = "delete"
  static let abstract = "Leave a visit or a trip out of the timeline; its points stay."
  static let examples = [(line: "godwit timeline delete phone --at 2026-11-20T10:00:00Z", purpose: "The visit of that time")]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let entry = EntryOptions()

  func run() async throws { try await correct(.delete) }
}

// MARK: Corrections

/// `godwit timeline corrections`
struct TimelineCorrections: StoreCommand {
  static let name = "corrections"
  static let abstract = "List the corrections of a device, newest first."
  static let examples = [(line: "godwit timeline corrections phone --limit 5", purpose: "The newest")]

  @Operands("DEVICE", 1...1, "The device's name")
  var devices: [String]
  let storeOptions = StoreOptions()
  @Option("limit", "N", default: 20, shown: "20", "Maximum number, newest first")
  var limit: Int

  func run() async throws {
    guard limit > 0 else { throw UsageError("--limit: expected 1 or more") }
    let store = try openStore()
    defer { store.close() }
    let device = try store.neededDevice(devices[0])
    let rows = try store.read { db in
      let corrections = try CorrectionTable.newest(ofDevice: device.id, .min ... .max, before: nil, limit: limit, db)
      let applied = try CorrectionEditor(device: device.id, db).applied(corrections)
      return corrections.map { correction in
        let state = correction.undone != nil ? "undone" : applied.contains(correction.id) ? "applied" : "waiting"
        let target = correction.body.target
        return [
          correction.label, correction.created.formattedUTC, target.kind.rawValue, correction.body.action.name.rawValue,
          Date(millisecondsSince1970: target.start).formattedUTC, state,
        ]
      }
    }
    if rows.isEmpty { return Output.log("\(device.name) has no corrections.") }
    Output.result(TextTable.text([["ID", "CREATED", "KIND", "ACTION", "START", "STATE"]] + rows))
  }
}

/// `godwit timeline undo`
struct TimelineUndo: StoreCommand {
  static let name = "undo"
  static let abstract = "Undo a correction of the last week."
  static let examples = [(line: "godwit timeline undo fix_3", purpose: "One, by its id in the list")]

  @Operands("ID", 1...1, "The correction's id")
  var ids: [String]
  let storeOptions = StoreOptions()

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    guard let number = TimelineCorrection.number(of: ids[0]),
      let known = try store.read({ try CorrectionTable.correction(number, $0) })
    else { throw Failure("No correction has the ID \"\(ids[0])\". `godwit timeline corrections DEVICE` lists all corrections.") }
    let now = Date()
    do { _ = try await store.write { try CorrectionEditor(device: known.device, $0).undo(number, at: now) } } catch let rejection
      as CorrectionEditor.Rejection
    { throw Failure("\(rejection)") }
    Output.log("Undone.")
  }
}
