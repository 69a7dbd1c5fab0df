import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("The next upload and the last fix in the engine's status")
struct NextSendTests {
  private func engine(_ change: (inout Settings) -> Void = { _ in }) -> Engine {
    var settings = Settings()
    settings.sendInterval = 60
    change(&settings)
    var engine = Engine(settings: settings, endpoints: [home])
    _ = engine.handle(.launched(Launch(wasTracking: false, waiting: [:])), at: start)
    _ = engine.handle(.authorizationChanged(.always), at: start)
    _ = engine.handle(.start, at: start)
    return engine
  }

  private func fix(_ time: Date) throws -> Event {
    .fixes([Fix(time: time, coordinate: try #require(Coordinate(latitude: 45, longitude: 14)))])
  }

  /// The time of the last timer that the effects set for an upload; `nil` if none is set.
  private func timer(_ effects: [Effect]) -> Date? {
    effects.compactMap { if case .setTimer(.send, let time) = $0 { time } else { nil } }.last
  }

  @Test("the time of the next upload is that of the timer, in every phase")
  func next() throws {
    var engine = engine()
    #expect(engine.status(of: home)?.nextSend == nil)
    var effects = engine.handle(try fix(start), at: start)
    #expect(timer(effects) == start.addingTimeInterval(60))
    #expect(engine.status(of: home)?.nextSend == timer(effects))
    _ = engine.handle(.timerFired(.send(home)), at: start.addingTimeInterval(60))
    #expect(engine.status(of: home)?.isUploading == true)
    #expect(engine.status(of: home)?.nextSend == nil)
    effects = engine.handle(
      .uploadFinished(home, .failed(reason: "no network", retryAfter: nil, jitter: 0.5)), at: start.addingTimeInterval(61))
    #expect(timer(effects) != nil)
    #expect(engine.status(of: home)?.nextSend == timer(effects))
    _ = engine.handle(.sendNow, at: start.addingTimeInterval(62))
    effects = engine.handle(
      .uploadFinished(home, .notYet(until: start.addingTimeInterval(600))), at: start.addingTimeInterval(63))
    #expect(timer(effects) == start.addingTimeInterval(600))
    #expect(engine.status(of: home)?.nextSend == timer(effects))
    _ = engine.handle(.timerFired(.send(home)), at: start.addingTimeInterval(600))
    _ = engine.handle(.uploadFinished(home, .accepted(remaining: 0)), at: start.addingTimeInterval(601))
    #expect(engine.status(of: home)?.nextSend == nil)
  }

  @Test("there is no next upload if only the user starts uploads")
  func manual() throws {
    var engine = engine { $0.sendInterval = nil }
    _ = engine.handle(try fix(start), at: start)
    #expect(engine.status(of: home)?.waiting == 1)
    #expect(engine.status(of: home)?.nextSend == nil)
  }

  @Test("the time of reception of the last fix is that of the event, however old the fix is")
  func received() throws {
    var engine = engine()
    #expect(engine.lastFixReceived == nil)
    let late = start.addingTimeInterval(30)
    _ = engine.handle(try fix(start.addingTimeInterval(-86400)), at: late)
    #expect(engine.lastFix?.time == start.addingTimeInterval(-86400))
    #expect(engine.lastFixReceived == late)
    // An older fix does not replace the last fix.
    _ = engine.handle(try fix(start.addingTimeInterval(-90000)), at: late.addingTimeInterval(1))
    #expect(engine.lastFixReceived == late)
  }
}
