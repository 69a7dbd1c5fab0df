import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import GodwitGeofencing
@testable import GodwitRegions
@testable import GodwitServer
@testable import GodwitStore

@Suite("Concurrent changes of a device's region rule")
struct RegionRuleRaceTests {
  private struct Changed: Error {}

  @Test("of eight concurrent changes based on the same state, exactly one succeeds", arguments: StoreKind.tested)
  func race(_ kind: StoreKind) throws {
    let box = try ContractStore(kind)
    defer { box.end() }
    let device = try box.store.makeDevice()
    let regions = DatabaseRegionStore(box.store)
    let received = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      var rule = DeviceRegionRule()
      rule.rule.tags = ["tag-\(number)"]
      do {
        try regions.setRegionRule(rule, device: device.id, at: Date()) { before in if before != nil { throw Changed() } }
        received.withLock { $0.append("tag-\(number)") }
      } catch is Changed {} catch { Issue.record(error) }
    }
    #expect(received.withLock { $0 }.count == 1)
    #expect(try regions.regionRule(device: device.id).map { Array($0.rule.tags) } == received.withLock { $0 })
  }
}
