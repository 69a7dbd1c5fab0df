import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("Messages between watch and phone", .timeLimit(.minutes(20)))
@MainActor
struct CompanionsWatchTests {
  private func request(_ command: WatchCommand, at time: Date, id: UUID = UUID()) -> WatchRequest {
    WatchRequest(id: id, time: time, command: command)
  }

  @Test("a command is valid once, for two minutes, and not after a later command")
  func inbox() {
    var inbox = WatchInbox()
    let start = UUID()
    /// Whether a command is admitted that was sent and received at these times, in seconds after noon.
    func admitted(_ command: WatchCommand, _ sent: Double, _ arrived: Double, id: UUID = UUID()) -> Bool {
      inbox.admits(request(command, at: noon.addingTimeInterval(sent), id: id), at: noon.addingTimeInterval(arrived))
    }
    #expect(admitted(.startTrip(mode: "car"), 0, 100, id: start))
    #expect(!admitted(.startTrip(mode: "car"), 0, 101, id: start), "twice")
    #expect(!admitted(.stopTrip, 0, 121), "too late")
    #expect(admitted(.stopTrip, 10, 20))
    #expect(!admitted(.startTrip(mode: nil), 5, 21), "overtaken")
    #expect(admitted(.refresh, -9_000, 0), "a refresh is never late")
    // The watch's clock was ahead, and was set back.
    #expect(admitted(.sendNow, 5_000, 30))
    #expect(admitted(.stopTracking, 40, 40))
  }

  @Test("a repeated, late or reordered command is ignored, and a reordered one has a message in the reply")
  func disorder() throws {
    let app = try AppPhone()
    app.finishOnboarding()
    app.pair()
    app.model.tracker.isTracking = true
    app.run(until: hours(8.6))
    func reply(_ request: WatchRequest) throws -> WatchReply {
      let bytes = try #require(app.model.feed.reply(to: try JSONEncoder().encode(request)))
      return try JSONDecoder().decode(WatchReply.self, from: bytes)
    }
    let now = app.phone.now.date
    let start = request(.startTrip(mode: "car"), at: now)
    let stop = request(.stopTrip, at: now.addingTimeInterval(20))
    #expect(try reply(start).text == "Trip started: Car.")
    app.settle(30)
    #expect(try reply(start).text == "", "the same message again")
    #expect(try reply(stop).text.hasPrefix("Trip stopped"))
    app.settle(30)
    #expect(try reply(start).text == "" && !app.model.trip.isTripRunning)
    let overtaken = request(.startTrip(mode: "car"), at: now.addingTimeInterval(10))
    #expect(try reply(overtaken).text == "The command arrived too late and was ignored.")
    app.settle(200)
    #expect(try reply(request(.startTrip(mode: nil), at: now.addingTimeInterval(60))).text.contains("too late"))
    #expect(!app.model.trip.isTripRunning && app.records.count { if case .trip = $0.kind { true } else { false } } <= 1)
    app.end()
  }

  @Test("another version of the app gets an error message; before the tracker is open commands have no effect")
  func versions() throws {
    let app = try AppPhone()
    app.finishOnboarding()
    let sent = Sent()
    let watch = WatchModel(now: noon) { message, _ in sent.messages.append(message) }
    let old = Data(#"{"version":7,"id":"x","order":["startTracking"]}"#.utf8)
    let reply = try #require(app.model.feed.reply(to: old))
    watch.refresh()
    watch.receive(reply)
    #expect(watch.message.contains("Update the app") && watch.isReachable && !app.model.tracker.isTracking)
    watch.receive(Data(#"{"version":2,"snapshot":{}}"#.utf8))
    #expect(watch.message.contains("versions do not match") && !watch.canCommand)
    let state = closedState()
    let trip = TripModel(state)
    let feed = SnapshotFeed(state, trip, AppActions(state, trip))
    #expect(feed.reply(to: try #require(sent.messages.first)) == nil)
    app.end()
  }

  @Test("the watch keeps the newest snapshot, and waits no longer than 20 seconds")
  func late() throws {
    let (sent, clock) = (Sent(), ManualClock(noon))
    let send: WatchModel.Send = { message, reply in
      sent.messages.append(message)
      sent.replies.append(reply)
    }
    let watch = WatchModel(now: noon, clock: { clock.now }, send: send)
    func snapshot(_ title: String, _ time: Date) throws -> Data {
      try JSONEncoder().encode(
        WidgetSnapshot(
          time: time, isTracking: true, title: title, detail: "", isProblem: false, waiting: 0, lastSent: nil, trip: nil))
    }
    watch.receive(try snapshot("new", noon))
    watch.receive(try snapshot("old", noon.addingTimeInterval(-60)))
    #expect(watch.title == "new" && watch.isReachable && watch.unreachableText == nil)
    watch.receive(try snapshot("clock set back", noon.addingTimeInterval(-3_600)))
    #expect(watch.title == "clock set back")
    watch.sendNow()
    #expect(watch.isWaiting && !watch.canCommand)
    clock.now = noon.addingTimeInterval(19)
    watch.tick(clock.now)
    #expect(watch.isWaiting)
    clock.now = noon.addingTimeInterval(21)
    watch.tick(clock.now)
    #expect(!watch.isWaiting && !watch.isReachable && watch.unreachableText == "The phone is not reachable." && watch.canCommand)
    watch.receive(try snapshot("there", noon))
    #expect(watch.isReachable && watch.title == "there")
  }

  @Test("the failure of an earlier message does not end the wait for the newest one")
  func overlapping() async throws {
    let sent = Sent()
    let watch = WatchModel(now: noon) { message, reply in
      sent.messages.append(message)
      sent.replies.append(reply)
    }
    watch.refresh()
    watch.setTracking(true)
    sent.replies[0](nil)
    for _ in 0..<10 { await Task.yield() }
    #expect(watch.isWaiting && watch.isReachable)
    sent.replies[1](nil)
    while watch.isWaiting { await Task.yield() }
    #expect(!watch.isReachable)
  }
}

@MainActor
private final class Sent {
  var messages: [Data] = []
  var replies: [@Sendable (Data?) -> Void] = []
}
