public import GodwitSimulator
internal import TestParts

/// Runs of a workload in each of which one operation of the disk fails.
public enum FaultRuns {
  /// The result of all runs.
  public struct Result: Sendable {
    /// The number of operations of a run, plus one.
    public var operations = 0
    /// The problems, each with the operation and its fault.
    public var problems: [String] = []
  }

  /// Performs runs in which the first, the second and each further operation fails. In the quick tests an operation has one of four
  /// errors, in the system tests all of them.
  /// - Parameter run: performs a run in an empty folder, and returns whether an operation failed, and the problems at the end.
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
        let folder = MemoryFolder()
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
  /// Returns a fault of one of the next operations. Half of the faults are those of a sync.
  /// - Parameter delay: the maximum number of operations before the fault, if it is not that of a sync.
  public static func random(within delay: Int, _ random: inout RandomSource) -> SimulatedDisk.Fault {
    let isSync = random.happens(0.5)
    return SimulatedDisk.Fault(
      isSync ? .sync : nil, after: Int.random(in: 0...(isSync ? 2 : delay), using: &random), isLasting: random.happens(0.5),
      isFull: random.happens(0.5))
  }
}
