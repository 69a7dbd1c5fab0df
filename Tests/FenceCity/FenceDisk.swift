package import Foundation
internal import GodwitEngine
package import GodwitModel
internal import GodwitSimulator
internal import Synchronization

/// The data that survive the process of the app: the last stored state of the watch, and the reported events.
package final class FenceDisk: Sendable {
  /// An event with the time at which it was stored.
  package struct Reported: Sendable, Hashable {
    package var event: RegionEvent
    package var at: Date
  }

  private struct State {
    var watch: RegionWatch?
    var reported: [Reported] = []
    var unreachable: [(from: Date, until: Date?)] = []
    /// The time since which the app has been waiting for the first unlock.
    var waiting: Date?
    var held: [(from: Date, until: Date)] = []
    var maximum = 0
    var unmanaged = true
    var launches = 0
    var crashes = 0
    var rejections: [String] = []
    var random: RandomSource
  }

  private let state: Mutex<State>
  /// The probability that the app crashes while it handles an input, 0…1.
  package let crashing: Double

  package init(crashing: Double = 0, seed: UInt64 = 1) {
    self.crashing = crashing
    state = Mutex(State(random: RandomSource(seed: seed, stream: "crashes")))
  }

  package var reported: [Reported] { state.withLock { $0.reported } }
  package var unreachable: [(from: Date, until: Date?)] { state.withLock { $0.unreachable } }
  /// The periods in which a launched app waited for the first unlock, until it could read its files.
  package var held: [(from: Date, until: Date)] { state.withLock { $0.held } }
  package var maximumMonitored: Int { state.withLock { $0.maximum } }
  /// Whether the region of the other part of the app was never removed.
  package var keptUnmanaged: Bool { state.withLock { $0.unmanaged } }
  package var launches: Int { state.withLock { $0.launches } }
  package var crashes: Int { state.withLock { $0.crashes } }
  package var rejections: [String] { state.withLock { $0.rejections } }

  /// The stored state of the watch, which a new process reads.
  func read(at now: Date) throws -> RegionWatch? {
    let kept = state.withLock { state in
      state.launches += 1
      if let last = state.unreachable.indices.last, state.unreachable[last].until == nil { state.unreachable[last].until = now }
      if let from = state.waiting { state.held.append((from, now)) }
      state.waiting = nil
      return state.watch
    }
    return try kept.map { try JSONDecoder().decode(RegionWatch.self, from: JSONEncoder().encode($0)) }
  }

  /// Stores the state of the watch and its events in one transaction.
  func store(_ watch: RegionWatch, _ effects: [RegionEffect], at now: Date) {
    state.withLock { state in
      state.watch = watch
      for case .report(let event) in effects { state.reported.append(Reported(event: event, at: now)) }
    }
  }

  /// Records the number of monitored regions after a change, and whether the region of the other part is one of them.
  func record(monitored: Int, hasUnmanaged: Bool) {
    state.withLock { state in
      state.maximum = max(state.maximum, monitored)
      state.unmanaged = state.unmanaged && hasUnmanaged
    }
  }
  func record(rejection: String) { state.withLock { $0.rejections.append(rejection) } }

  /// Begins a period in which no event can reach the app, until its next launch.
  func beginUnreachable(at now: Date) {
    state.withLock { state in
      if state.unreachable.last.map({ $0.until != nil }) ?? true { state.unreachable.append((now, nil)) }
    }
  }

  /// Records that the app was launched before the first unlock and cannot read its files.
  func waitForUnlock(at now: Date) {
    beginUnreachable(at: now)
    state.withLock { $0.waiting = $0.waiting ?? now }
  }

  /// The number of effects after which the app crashes; 0: before the state is stored; `nil`: it does not crash.
  func crashPoint(of effects: Int) -> Int? {
    guard crashing > 0 else { return nil }
    return state.withLock { state in
      guard state.random.happens(crashing) else { return nil }
      state.crashes += 1
      return Int(state.random.uniform() * Double(effects + 1))
    }
  }
}
