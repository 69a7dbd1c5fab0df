public import GodwitSimulator
internal import TestParts

/// Runs of a workload during each of which one operation of the disk fails.
public enum FaultRuns {
  /// What all runs found.
  public struct Result: Sendable {
    /// Operations that one run has, and one more.
    public var operations = 0
    /// What was wrong, each with the operation and its fault.
    public var problems: [String] = []
  }

  /// Lets each operation fail that a run reaches. In the quick tests each has one of four errors, in those of the system all of them.
  /// - Parameter run: a run in an empty folder; whether an operation failed, and what was wrong at its end.
  public static func eachOperation(
    _ run: (SimulatedDisk.Fault, _ folder: String) throws -> (isReached: Bool, problems: [String])
  ) rethrows -> Result {
    let variants = TestGroup.quick.isRun ? 1 : 4
    var (result, isReached) = (Result(), true)
    while isReached {
      isReached = false
      for variant in 0..<variants {
        let kind = variant + (variants == 1 ? result.operations : 0)
        let fault = SimulatedDisk.Fault(after: result.operations, isLasting: kind % 2 == 0, isFull: kind % 4 < 2)
        let folder = CutFolder()
        let found = try withExtendedLifetime(folder) { try run(fault, folder.path) }
        result.problems += found.problems.map { "operation \(result.operations + 1), \(fault): \($0)" }
        if found.isReached { isReached = true }
      }
      result.operations += 1
    }
    return result
  }
}

extension SimulatedDisk.Fault {
  /// A fault of one of the next operations, half of the time of a sync.
  /// - Parameter delay: operations that take place before another one than a sync fails, at most.
  public static func random(within delay: Int, _ random: inout RandomSource) -> SimulatedDisk.Fault {
    let isSync = random.happens(0.5)
    return SimulatedDisk.Fault(
      isSync ? .sync : nil, after: Int.random(in: 0...(isSync ? 2 : delay), using: &random), isLasting: random.happens(0.5),
      isFull: random.happens(0.5))
  }
}
