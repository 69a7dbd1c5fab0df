import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("The engine: invariants under random events")
struct PropertyTests {
  @Test(
    """
    no record is lost or sent by two uploads at once; every request and upload ends; a relaunch has the complete state; an \
    engine that is encoded and decoded is equal
    """, arguments: 1...16)
  func days(_ seed: UInt64) {
    var world = World(seed: seed)
    for _ in 0..<1500 where world.violations.isEmpty { world.step() }
    world.settle()
    #expect(world.violations.prefix(3) == [])
    // The random events covered enough.
    #expect(world.recordCount > 100 && world.now > at(2 * day))
  }

  @Test("the same holds with a clock that is set back sometimes", arguments: [101, 102, 103, 104, 139, 140])
  func wildClock(_ seed: UInt64) {
    var world = World(seed: seed, isClockWild: true)
    for _ in 0..<1500 where world.violations.isEmpty { world.step() }
    world.settle()
    #expect(world.violations.prefix(3) == [])
  }

  @Test(
    "the same holds under a policy; motion is always detectable, and every rest can end",
    arguments: [TrackingPolicy.twoState, .adaptive, .byMotion, .filtered], [201, 202, 203, 204, 205])
  func policies(_ policy: TrackingPolicy, _ seed: UInt64) {
    var world = World(seed: seed, isClockWild: seed.isMultiple(of: 2), policy: policy)
    for _ in 0..<1500 where world.violations.isEmpty { world.step() }
    world.settle()
    #expect(world.violations.prefix(3) == [])
    #expect(world.fixCount > 10)
  }

  @Test("the coverage log has every minute from the start until now once, and no avoidable lines", arguments: 1...12)
  func coverage(_ seed: UInt64) {
    var world = World(seed: seed, isClockWild: seed.isMultiple(of: 4))
    for _ in 0..<1500 { world.step() }
    #expect(world.coverageFaults() == [])
    #expect(world.coverageLines.count > 20)
  }

  @Test("the same events at the same times give the same effects, and the same engine", arguments: 1...4)
  func deterministic(_ seed: UInt64) {
    var (first, second) = (World(seed: seed), World(seed: seed))
    for _ in 0..<500 {
      first.step()
      second.step()
    }
    #expect(first.engine == second.engine)
    #expect(first.coverageLines == second.coverageLines && first.recordCount == second.recordCount)
  }
}
