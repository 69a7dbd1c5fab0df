import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory

/// Converts timelines from and to text with times in minutes: `V 0-60` is a visit, `T 60-80 car` a trip.
enum TimelineScript {
  static func entries(_ text: String) -> [TimelineEntry] {
    text.split(separator: ",").map { entry($0.split(separator: " ").map(String.init)) }
  }

  private static func entry(_ words: [String]) -> TimelineEntry {
    let isOpen = words[1].hasSuffix("-")
    let times = words[1].split(separator: "-").compactMap { Int64($0) }.map { $0 * 60_000 }
    let (start, end) = (times[0], times.count > 1 ? times[1] : times[0] + 600_000)
    if words[0] == "V" {
      return .visit(
        ShownVisit(
          FoundVisit(
            arrival: start, departure: isOpen ? nil : end, seen: end, latitude: 460_000_000 + Int32(start / 60_000) * 100,
            longitude: 145_000_000, radius: 20, points: 10, isReported: false)))
    }
    let mode = words.count > 2 ? TravelMode(rawValue: words[2]) ?? .unknown : .walk
    let segment = FoundTrip.Segment(
      mode: mode, confidence: 0.8, isReported: false, start: start, end: end, distance: Double(end - start) / 1000,
      moving: Double(end - start) / 1000, topSpeed: 2)
    return .trip(
      ShownTrip(FoundTrip(start: start, end: end, from: [0, 0], to: [0, 0], segments: [segment])))
  }

  static func text(_ entries: [TimelineEntry]) -> String {
    entries.map { entry in
      let start = entry.start / 60_000
      switch entry {
      case .visit(let shown):
        let end = shown.visit.departure.map { "\($0 / 60_000)" } ?? ""
        let name = shown.name ?? shown.placeID.map { "#\($0)" }
        return "V \(start)-\(end)\(name.map { " \($0)" } ?? "")\(shown.isConfirmed ? " !" : "")"
      case .trip(let shown): return "T \(start)-\(entry.end / 60_000) \(shown.trip.mode)\(shown.isConfirmed ? " !" : "")"
      }
    }.joined(separator: ", ")
  }

  static func correction(
    _ action: TimelineCorrection.Action, _ kind: TimelineCorrection.Target.Kind, _ start: Int64, _ end: Int64,
    isOpen: Bool = false, id: Int64 = 1
  ) -> TimelineCorrection {
    TimelineCorrection(
      id: id, device: 1, created: Date(timeIntervalSince1970: 0),
      body: TimelineCorrection.Body(
        action, of: TimelineCorrection.Target(kind, start: start * 60_000, end: end * 60_000, isOpen: isOpen)))
  }
}

@Suite("Rules of timeline corrections")
struct CorrectionRuleTests {
  private static let day = "V 0-60,T 60-80 car,V 80-200,T 200-230 walk,V 230-300"

  /// A correction and the resulting timeline.
  struct Given: Sendable, CustomTestStringConvertible {
    var name: String
    var action: TimelineCorrection.Action
    var kind: TimelineCorrection.Target.Kind = .visit
    var times: (Int64, Int64)
    var shown: String
    var testDescription: String { name }
  }

  private static func minutes(_ start: Int64?, _ end: Int64?) -> TimelineCorrection.Action {
    .move(TimelineCorrection.Move(start: start.map { $0 * 60_000 }, end: end.map { $0 * 60_000 }))
  }

  static let actions: [Given] = [
    Given(
      name: "confirm", action: .confirm, times: (80, 200),
      shown: "V 0-60, T 60-80 car, V 80-200 !, T 200-230 walk, V 230-300"),
    Given(
      name: "rename", action: .rename(.text("Dentist")), times: (80, 200),
      shown: "V 0-60, T 60-80 car, V 80-200 Dentist !, T 200-230 walk, V 230-300"),
    Given(
      name: "choose a place", action: .rename(.place(7)), times: (80, 200),
      shown: "V 0-60, T 60-80 car, V 80-200 #7 !, T 200-230 walk, V 230-300"),
    Given(name: "delete a visit", action: .delete, times: (80, 200), shown: "V 0-60, T 60-80 car, T 200-230 walk, V 230-300"),
    Given(
      name: "delete a trip", action: .delete, kind: .trip, times: (60, 80), shown: "V 0-60, V 80-200, T 200-230 walk, V 230-300"),
    Given(
      name: "change a mode", action: .mode(.cycle), kind: .trip, times: (200, 230),
      shown: "V 0-60, T 60-80 car, V 80-200, T 200-230 cycle !, V 230-300"),
    Given(name: "merge visits", action: .merge, times: (80, 300), shown: "V 0-60, T 60-80 car, V 80-300 !"),
    Given(name: "merge trips", action: .merge, kind: .trip, times: (60, 230), shown: "V 0-60, T 60-230 walk !, V 230-300"),
    Given(
      name: "split a visit", action: .split(at: 100 * 60_000, place: nil), times: (80, 200),
      shown: "V 0-60, T 60-80 car, V 80-100, V 100-200, T 200-230 walk, V 230-300"),
    Given(
      name: "split a trip", action: .split(at: 210 * 60_000, place: FixedPosition(latitude: 5, longitude: 6)), kind: .trip,
      times: (200, 230), shown: "V 0-60, T 60-80 car, V 80-200, T 200-210 walk, T 210-230 walk, V 230-300"),
    Given(
      name: "an earlier arrival shortens the previous trip", action: minutes(70, nil), times: (80, 200),
      shown: "V 0-60, T 60-70 car, V 70-200 !, T 200-230 walk, V 230-300"),
    Given(
      name: "a later arrival lengthens the previous trip", action: minutes(90, nil), times: (80, 200),
      shown: "V 0-60, T 60-90 car, V 90-200 !, T 200-230 walk, V 230-300"),
    Given(
      name: "a later departure hides the trip that it covers", action: minutes(nil, 240), times: (80, 200),
      shown: "V 0-60, T 60-80 car, V 80-240 !, V 240-300"),
    Given(
      name: "move the times of a trip", action: minutes(50, 90), kind: .trip, times: (60, 80),
      shown: "V 0-50, T 50-90 car !, V 90-200, T 200-230 walk, V 230-300"),
    Given(
      name: "no entry", action: .confirm, times: (600, 700),
      shown: "V 0-60, T 60-80 car, V 80-200, T 200-230 walk, V 230-300"),
  ]

  @Test("an action changes the entry, and its neighbours where necessary", arguments: actions.indices)
  func action(_ index: Int) {
    let given = Self.actions[index]
    let rules = CorrectionRules.applied(
      [TimelineScript.correction(given.action, given.kind, given.times.0, given.times.1)], to: TimelineScript.entries(Self.day))
    #expect(TimelineScript.text(rules.entries) == given.shown, "\(given.name)")
    #expect(rules.applied.isEmpty == (given.name == "no entry"))
  }

  /// Computed timelines after new points, and the result of a rename of the visit from 80 to 200.
  static let ground: [(String, String)] = [
    // The times of the visit changed.
    ("V 0-60,T 60-75 car,V 75-190", "V 0-60, T 60-75 car, V 75-190 Work !"),
    // The visit became two visits: both have the name.
    ("V 80-120,T 120-130 walk,V 130-200", "V 80-120 Work !, T 120-130 walk, V 130-200 Work !"),
    // The visit became part of a longer one.
    ("V 10-300", "V 10-300 Work !"),
    // An adjacent visit with a small overlap is not changed.
    ("V 0-90,V 95-200", "V 0-90, V 95-200 Work !"),
    // The visit no longer exists: the correction is not applied.
    ("V 0-60,T 60-300 car", "V 0-60, T 60-300 car"),
    // Another visit covers less than half of the corrected one.
    ("V 0-100,T 100-300 car", "V 0-100, T 100-300 car"),
  ]

  @Test("a name applies to the visit after its times change", arguments: ground.indices)
  func moved(_ index: Int) {
    let (computed, shown) = Self.ground[index]
    let name = TimelineScript.correction(.rename(.text("Work")), .visit, 80, 200)
    #expect(TimelineScript.text(CorrectionRules.applied([name], to: TimelineScript.entries(computed)).entries) == shown)
  }

  @Test("a deletion hides entries within its times, and never a longer entry")
  func deletion() {
    let delete = TimelineScript.correction(.delete, .visit, 80, 90)
    func shown(_ computed: String, _ correction: TimelineCorrection) -> String {
      TimelineScript.text(CorrectionRules.applied([correction], to: TimelineScript.entries(computed)).entries)
    }
    #expect(shown("V 0-60,V 80-85,V 86-90", delete) == "V 0-60")
    #expect(shown("V 0-300", delete) == "V 0-300")
    // The visit continued when it was deleted.
    #expect(shown("V 0-60,V 80-400", TimelineScript.correction(.delete, .visit, 80, 90, isOpen: true)) == "V 0-60")
  }

  @Test("the name of a current visit still applies when the visit becomes longer")
  func open() {
    let name = TimelineScript.correction(.rename(.text("Home")), .visit, 0, 10, isOpen: true)
    #expect(TimelineScript.text(CorrectionRules.applied([name], to: TimelineScript.entries("V 0-")).entries) == "V 0- Home !")
    #expect(
      TimelineScript.text(CorrectionRules.applied([name], to: TimelineScript.entries("V 0-900")).entries) == "V 0-900 Home !")
  }

  @Test("corrections apply in order, and undoing one does not affect the others")
  func order() {
    let entries = TimelineScript.entries(Self.day)
    let split = TimelineScript.correction(.split(at: 6_000_000, place: nil), .visit, 80, 200, id: 1)
    let name = TimelineScript.correction(.rename(.text("Café")), .visit, 100, 200, id: 2)
    let both = CorrectionRules.applied([split, name], to: entries)
    #expect(TimelineScript.text(both.entries).hasPrefix("V 0-60, T 60-80 car, V 80-100, V 100-200 Café !"))
    #expect(both.entries[3].visit?.corrections == [1, 2])
    #expect(TimelineScript.text(CorrectionRules.applied([name], to: entries).entries).contains("V 80-200 Café !"))
    var undone = split
    undone.undone = Date()
    #expect(CorrectionRules.applied([undone, name], to: entries).applied == [2])
  }

  @Test("splitting a trip preserves its distance")
  func distance() {
    let split = TimelineScript.correction(.split(at: 210 * 60_000, place: nil), .trip, 200, 230)
    let rules = CorrectionRules.applied([split], to: TimelineScript.entries(Self.day))
    let trips = rules.entries.compactMap(\.trip?.trip)
    #expect(abs(trips.reduce(0) { $0 + $1.distance } - 50 * 60) < 1e-6)
  }

  @Test("after random corrections, entries are in order and do not overlap", arguments: 1...40 as ClosedRange<UInt64>)
  func property(_ seed: UInt64) {
    var random = Journey(seed: seed)
    func number(_ limit: Int64) -> Int64 { Int64(random.random() * Double(limit)) }
    var corrections: [TimelineCorrection] = []
    for id in 1...12 as ClosedRange<Int64> {
      let (start, kind) = (number(280), random.random() < 0.6 ? TimelineCorrection.Target.Kind.visit : .trip)
      let end = start + number(120)
      let action: TimelineCorrection.Action =
        switch number(7) {
        case 0: .confirm
        case 1: .merge
        case 2: .delete
        case 3: .split(at: (start + number(100)) * 60_000, place: nil)
        case 4: Self.minutes(number(300), nil)
        case 5: Self.minutes(start, end + 1)
        default: .mode(.boat)
        }
      corrections.append(TimelineScript.correction(action, kind, start, end, id: id))
    }
    let entries = CorrectionRules.applied(corrections, to: TimelineScript.entries(Self.day)).entries
    for (entry, next) in zip(entries, entries.dropFirst()) { #expect(entry.end <= next.start, "\(TimelineScript.text(entries))") }
    for entry in entries { #expect(entry.start < entry.end) }
  }
}
