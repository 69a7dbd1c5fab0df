import TestHistory
import Testing

@Suite("The history checker")
struct HistoryCheckerTests {
  /// Two clients that sent ten records each, of which eight are acknowledged; the store has nine.
  private static let history: History = {
    var history = History()
    for journal in [1, 2] as [UInt64] {
      for number in 1...10 { history.send(SentRecord(journal: journal, number: number), time: number * 1000) }
      history.acknowledge((1...8).map { SentRecord(journal: journal, number: $0) }, entries: 2)
    }
    return history
  }()

  private static let stored: StoredHistory = {
    var stored = StoredHistory()
    for journal in [1, 2] as [UInt64] {
      let device = Int(journal) + 10
      stored.points += (1...9).map {
        StoredHistory.Point(record: SentRecord(journal: journal, number: $0), device: device, time: $0 * 1000)
      }
      stored.ranges += [(1, 4), (5, 9)].map { StoredHistory.Range(journal: journal, first: $0, last: $1) }
      stored.events += (1...4).map {
        StoredHistory.Event(name: "\(device)-\($0)", device: device, isEntry: $0 % 2 == 1, time: "2026-11-20T00:00:0\($0)Z")
      }
    }
    // Repeated deliveries are allowed.
    stored.deliveries = ["11-1", "12-1", "11-2", "11-1", "12-2", "11-3", "12-3", "12-4", "11-4", "11-4", "12-1"]
    return stored
  }()

  private static func kinds(_ change: (inout StoredHistory) -> Void) -> [HistoryChecker.Problem.Kind] {
    var changed = stored
    change(&changed)
    return HistoryChecker(history: history, stored: changed).problems.map(\.kind)
  }

  @Test("finds nothing in a correct history")
  func right() {
    #expect(Self.kinds { _ in } == [])
    #expect(Self.kinds { $0.deliveries = nil } == [])
    #expect(HistoryChecker(history: History(), stored: StoredHistory()).problems.isEmpty)
  }

  @Test("finds lost, duplicate, unsent and altered records, and names them")
  func records() {
    #expect(Self.kinds { $0.points.remove(at: 3) } == [.lost])
    // A record that was not acknowledged may be stored or not.
    #expect(Self.kinds { $0.points.remove(at: 8) } == [])
    #expect(Self.kinds { $0.points.append($0.points[3]) } == [.duplicate])
    #expect(Self.kinds { $0.points[8].record.number = 11 } == [.unsent])
    #expect(Self.kinds { $0.points[3].time += 1 } == [.altered])
    var changed = Self.stored
    changed.points.remove(at: 3)
    let problems = HistoryChecker(history: Self.history, stored: changed).problems
    #expect(problems.map(\.description) == ["1 acknowledged records are not stored: 1-4"])
  }

  @Test("finds records in another order, and of another device")
  func order() {
    #expect(
      Self.kinds {
        ($0.points[2].record.number, $0.points[3].record.number) = ($0.points[3].record.number, $0.points[2].record.number)
      } == [.altered])
    #expect(Self.kinds { $0.points[3].device = 12 }.contains(.mixed))
  }

  @Test("finds acknowledged records that no range covers")
  func ranges() {
    #expect(Self.kinds { $0.ranges.remove(at: 1) } == [.uncovered])
    #expect(Self.kinds { $0.ranges[1].first = 6 } == [.uncovered])
    #expect(Self.kinds { $0.ranges[1].last = 8 } == [])
    #expect(Self.kinds { $0.ranges = [] } == [.uncovered])
  }

  @Test("finds events that are missing, duplicate or out of order")
  func events() {
    #expect(Self.kinds { $0.events.removeSubrange(2..<4) } == [.missingEvents, .unknownDeliveries])
    #expect(Self.kinds { $0.events.insert($0.events[1], at: 1) } == [.duplicateEvents, .outOfOrderEvents])
    #expect(Self.kinds { $0.events.swapAt(1, 2) }.contains(.outOfOrderEvents))
    #expect(Self.kinds { $0.events[1].isEntry = true }.contains(.outOfOrderEvents))
  }

  @Test("finds deliveries that are missing, unknown or in another order")
  func deliveries() {
    #expect(Self.kinds { $0.deliveries?.removeAll { $0 == "11-3" } } == [.undelivered])
    #expect(Self.kinds { $0.deliveries?.append("11-9") } == [.unknownDeliveries])
    #expect(Self.kinds { $0.deliveries?.swapAt(0, 1) } == [])
    #expect(Self.kinds { $0.deliveries?.swapAt(5, 8) } == [.outOfOrderDeliveries])
    #expect(Self.kinds { $0.deliveries = [] } == [.undelivered])
  }
}
