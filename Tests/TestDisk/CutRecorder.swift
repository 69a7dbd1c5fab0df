internal import GodwitSimulator
internal import Synchronization

/// Takes power cuts while a program works, each with what may be found after it.
public final class CutRecorder<Expected: Sendable>: Sendable {
  private struct State {
    var expected: Expected
    var random: RandomSource
    var next: Int
    var cuts: [(disk: PowerCut, expected: Expected)] = []
  }
  private let state: Mutex<State>

  /// - Parameters:
  ///   - expected: what may be found before the program has done anything.
  ///   - disk: its disk.
  ///   - seed: chooses the operations of the cuts.
  ///   - interval: operations from one cut to the next, at most.
  public init(_ expected: Expected, on disk: SimulatedDisk, seed: UInt64, interval: Int) {
    var random = RandomSource(seed: seed, stream: "cuts")
    let first = disk.operations + Int.random(in: 1...interval, using: &random)
    state = Mutex(State(expected: expected, random: random, next: first))
    disk.observe { operation in
      self.state.withLock { state in
        guard operation >= state.next else { return false }
        state.next = operation + Int.random(in: 1...interval, using: &state.random)
        return true
      }
    } _: { cut in
      self.state.withLock { $0.cuts.append((cut, $0.expected)) }
    }
  }

  /// What may be found after a cut that comes now.
  public var expected: Expected { state.withLock { $0.expected } }

  /// Changes what may be found after a cut.
  public func expect(_ body: (inout Expected) -> Void) { state.withLock { body(&$0.expected) } }

  /// The cuts so far.
  public var cuts: [(disk: PowerCut, expected: Expected)] { state.withLock { $0.cuts } }
}
