import Foundation
import GodwitEngine
import GodwitModel
import Testing

@testable import Godwit

@Suite("The mailbox")
struct MailboxTests {
  private func fix(_ second: Int) -> Fix {
    // Valid: inside the ranges.
    Fix(time: start.addingTimeInterval(Double(second)), coordinate: Coordinate(latitude: 45, longitude: 14)!)
  }

  private func events(_ mailbox: Mailbox) -> [Event] {
    mailbox.take().compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  @Test("consecutive fixes become one event, in order, and keep their position among other events")
  func joined() {
    let mailbox = Mailbox()
    for second in 0..<3 { mailbox.post(.fixes([fix(second)])) }
    mailbox.post(.paused)
    mailbox.post(.fixes([fix(3)]))
    #expect(events(mailbox) == [.fixes([fix(0), fix(1), fix(2)]), .paused, .fixes([fix(3)])])
    #expect(events(mailbox).isEmpty)
  }

  private static func network(_ isReachable: Bool) -> Event { .networkChanged(isReachable: isReachable) }

  @Test(
    "only the newest state is kept, and all commands are kept",
    arguments: [
      ([.tick, .tick, .tick], [.tick]),
      (
        [.contextChanged(DeviceContext(batteryLevel: 0.5)), .contextChanged(DeviceContext(batteryLevel: 0.4))],
        [.contextChanged(DeviceContext(batteryLevel: 0.4))]
      ),
      ([network(false), network(true)], [network(true)]),
      ([.locationFailed("a"), .locationFailed("b")], [.locationFailed("b")]),
      ([.authorizationChanged(.denied), .authorizationChanged(.always)], [.authorizationChanged(.always)]),
      ([.tick, .start, .tick], [.tick, .start, .tick]),
      ([.start, .start, .stop, .sendNow, .sendNow], [.start, .start, .stop, .sendNow, .sendNow]),
      ([.fixesLost(2, .invalid), .tick, .fixesLost(3, .invalid)], [.fixesLost(5, .invalid), .tick]),
      ([.fixesLost(2, .invalid), .fixesLost(3, .lost)], [.fixesLost(2, .invalid), .fixesLost(3, .lost)]),
    ] as [([Event], [Event])])
  func coalesced(_ posted: [Event], _ taken: [Event]) {
    let mailbox = Mailbox()
    for event in posted { mailbox.post(event) }
    #expect(events(mailbox) == taken)
  }

  @Test("fixes above the capacity are counted as lost, and the capacity is available again after reading")
  func full() {
    let mailbox = Mailbox()
    let many = (0..<60_000).map { fix($0) }
    mailbox.post(.fixes(many))
    mailbox.post(.paused)
    mailbox.post(.fixes(many))
    mailbox.post(.fixes(many))
    let taken = events(mailbox)
    let fixes = taken.reduce(0) { if case .fixes(let some) = $1 { $0 + some.count } else { $0 } }
    #expect(fixes == Mailbox.maximumFixes)
    #expect(taken.last == .fixesLost(180_000 - Mailbox.maximumFixes, .lost))
    mailbox.post(.fixes([fix(0)]))
    #expect(events(mailbox) == [.fixes([fix(0)])])
  }

  @Test("alternating fixes and battery events do not fill the memory: above a limit events of the same kind are joined")
  func turns() {
    let mailbox = Mailbox()
    for turn in 0..<20_000 {
      mailbox.post(.fixes([fix(turn)]))
      mailbox.post(.contextChanged(DeviceContext(batteryLevel: Double(turn) / 20_000)))
    }
    let taken = events(mailbox)
    #expect(taken.count <= Mailbox.maximumItems)
    let fixes = taken.flatMap { (event) -> [Fix] in if case .fixes(let some) = event { some } else { [] } }
    #expect(fixes == (0..<20_000).map { fix($0) })
    #expect(taken.last == .contextChanged(DeviceContext(batteryLevel: 19_999 / 20_000)))
  }
}

@Suite("Unusable fixes")
struct LostFixTests {
  private let home = EndpointID("home")

  @Test(
    "lost and invalid fixes are counted, and are the reason of their minute in the coverage log",
    arguments: [(CoverageEntry.Reason.invalid, 3, 0), (.lost, 0, 3)])
  func counted(_ reason: CoverageEntry.Reason, _ invalid: Int, _ lost: Int) throws {
    var engine = Engine(settings: Settings(), endpoints: [home])
    let minute = Date(timeIntervalSince1970: 1_800_000_000)
    _ = engine.handle(.launched(Launch(wasTracking: false, waiting: [:])), at: minute)
    _ = engine.handle(.authorizationChanged(.always), at: minute)
    _ = engine.handle(.start, at: minute)
    _ = engine.handle(.fixesLost(3, reason), at: minute)
    #expect(engine.dropped.invalid == invalid && engine.lostFixes == lost)
    _ = engine.handle(.tick, at: minute.addingTimeInterval(60))
    #expect(engine.coverageEntry?.reason == reason && engine.coverageEntry?.fixes == 0)
  }

  @Test("invalid fixes while tracking is off are not counted")
  func off() {
    var engine = Engine(settings: Settings(), endpoints: [home])
    _ = engine.handle(.fixesLost(3, .invalid), at: start)
    #expect(engine.dropped.invalid == 0)
  }
}
