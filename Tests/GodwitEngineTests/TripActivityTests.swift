import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("The Live Activity of a trip")
struct TripActivityTests {
  private static let begin = Date(timeIntervalSince1970: 1_780_000_000)

  private static func content(
    _ distance: Double, mode: TripMode = .bicycle, start: Double = 0, waiting: Int = 0
  ) -> TripActivity.Content {
    TripActivity.Content(start: begin + start, mode: mode, distance: distance, waiting: waiting)
  }
  private static func outdated(_ seconds: Double) -> Date { begin + seconds + TripActivity.outdatedAfter }

  /// The state at a time, and the expected steps.
  private struct Snapshot {
    var at: Double
    var content: TripActivity.Content?
    var isInForeground = false
    var steps: [TripActivity.Step] = []
  }

  private func run(_ snapshots: [Snapshot], _ activity: TripActivity = TripActivity()) {
    var activity = activity
    for snapshot in snapshots {
      var steps: [TripActivity.Step] = []
      while let step = activity.step(snapshot.content, isInForeground: snapshot.isInForeground, at: Self.begin + snapshot.at) {
        steps.append(step)
        if steps.count > 3 { break }
      }
      #expect(steps == snapshot.steps, "at \(snapshot.at)")
    }
  }

  private static func ended(_ content: TripActivity.Content, at seconds: Double) -> TripActivity.Content {
    var content = content
    content.end = begin + seconds
    return content
  }

  @Test("the activity starts and ends with the trip; updates are ten seconds apart, but immediate for another mode")
  func trip() {
    let walk = Self.content(60, mode: .walk)
    run([
      Snapshot(at: -5, isInForeground: true),
      Snapshot(
        at: 0, content: Self.content(0), isInForeground: true, steps: [.start(Self.content(0), outdated: Self.outdated(0))]),
      Snapshot(at: 9, content: Self.content(50)),
      Snapshot(at: 10, content: Self.content(55), steps: [.update(Self.content(55), outdated: Self.outdated(10))]),
      Snapshot(at: 12, content: walk, steps: [.update(walk, outdated: Self.outdated(12))]),
      Snapshot(at: 100, steps: [.end(Self.ended(walk, at: 100), dismissal: Self.begin + 100 + TripActivity.dismissAfter)]),
      Snapshot(at: 101),
    ])
  }

  @Test("a trip that begins in the background gets its activity when the app is opened")
  func background() {
    run([
      Snapshot(at: 0, content: Self.content(0)), Snapshot(at: 600, content: Self.content(900)),
      Snapshot(
        at: 601, content: Self.content(901), isInForeground: true,
        steps: [.start(Self.content(901), outdated: Self.outdated(601))]),
    ])
  }

  @Test("at rest the activity is updated before it is outdated")
  func rest() {
    let still = Self.content(10)
    run([
      Snapshot(at: 0, content: still, isInForeground: true, steps: [.start(still, outdated: Self.outdated(0))]),
      Snapshot(at: 299, content: still), Snapshot(at: 300, content: still, steps: [.update(still, outdated: Self.outdated(300))]),
      // The clock was set back.
      Snapshot(at: 100, content: still, steps: [.update(still, outdated: Self.outdated(100))]),
    ])
  }

  @Test("after eight hours a new activity replaces it when the app is opened")
  func long() {
    let (early, late) = (Self.content(0), Self.content(90_000))
    run([
      Snapshot(at: 0, content: early, isInForeground: true, steps: [.start(early, outdated: Self.outdated(0))]),
      Snapshot(at: 28_800, content: late, steps: [.update(late, outdated: Self.outdated(28_800))]),
      Snapshot(
        at: 28_801, content: late, isInForeground: true,
        steps: [
          .end(Self.ended(late, at: 28_801), dismissal: Self.begin + 28_801), .start(late, outdated: Self.outdated(28_801)),
        ]),
    ])
  }

  @Test("the activity of an earlier launch continues with its trip, and ends if that is over or another one is running")
  func relaunched() {
    let (old, new) = (Self.content(10), Self.content(20))
    run([Snapshot(at: 60, content: new, steps: [.update(new, outdated: Self.outdated(60))])], TripActivity(shown: old))
    let end = TripActivity.Step.end(Self.ended(old, at: 60), dismissal: Self.begin + 60 + TripActivity.dismissAfter)
    run([Snapshot(at: 60, steps: [end])], TripActivity(shown: old))
    let next = Self.content(0, start: 50)
    run(
      [Snapshot(at: 60, content: next, isInForeground: true, steps: [end, .start(next, outdated: Self.outdated(60))])],
      TripActivity(shown: old))
  }

  @Test("the encoded content is smaller than the four kilobytes that a content state may have")
  func encoded() throws {
    let content = Self.ended(Self.content(1.0 / 3, waiting: .max), at: 1)
    let data = try JSONEncoder().encode(content)
    #expect(data.count < 1000)
    #expect(try JSONDecoder().decode(TripActivity.Content.self, from: data) == content)
  }
}
