internal import GodwitSimulator
internal import Synchronization

/// Records power cuts while a program works, each with the allowed state after it.
public final class CutRecorder<Expected: Sendable>: Sendable {
  private struct State {
    var expected: Expected
    var random: RandomSource
    var next: Int
    var cuts: [(disk: PowerCut, expected: Expected)] = []
  }
  private let state: Mutex<State>

  /// - Parameters:
  ///   - expected: the allowed state before the first operation of the program.
  ///   - disk: the disk of the program.
  ///   - seed: determines the operations of the cuts.
  ///   - interval: the maximum number of operations between two cuts.
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

  /// The allowed state after a cut at this time.
  public var expected: Expected { state.withLock { $0.expected } }

  /// Changes the allowed state.
  public func expect(_ body: (inout Expected) -> Void) { state.withLock { body(&$0.expected) } }

  /// The cuts so far.
  public var cuts: [(disk: PowerCut, expected: Expected)] { state.withLock { $0.cuts } }
}
