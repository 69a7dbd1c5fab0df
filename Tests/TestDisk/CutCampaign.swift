internal import Foundation
internal import TestParts

/// The number of power cuts that a test simulates, and the first seed.
///
/// `GODWIT_POWER_CUTS` sets the number. If `GODWIT_POWER_CUTS_PROGRESS` names a folder, the test prints its seed and rate, and continues
/// where an interrupted run ended. The next run begins with unused seeds.
public struct CutCampaign: Sendable {
  /// The result of a part.
  public struct Result: Sendable {
    public var cuts: Int
    /// The problems, each with the seed that reproduces it.
    public var problems: [String]

    public init(cuts: Int = 0, problems: [String] = []) { (self.cuts, self.problems) = (cuts, problems) }

    public static func += (result: inout Result, other: Result) {
      result.cuts += other.cuts
      result.problems += other.problems
    }
  }

  private let name: String
  /// The number of cuts.
  public let count: Int
  private let progress: String?

  /// - Parameters:
  ///   - name: the name of the test, for the file with its progress.
  ///   - quick: the number of cuts in the quick tests.
  ///   - system: the number of cuts in the system tests.
  public init(_ name: String, quick: Int, system: Int) {
    let environment = ProcessInfo.processInfo.environment
    self.name = name
    count = environment["GODWIT_POWER_CUTS"].flatMap { Int($0) } ?? (TestGroup.quick.isRun ? quick : system)
    progress = environment["GODWIT_POWER_CUTS_PROGRESS"].map { "\($0)/\(name)" }
  }

  /// Runs a part with each seed from 0 on, until the number of cuts is reached or a part has found problems.
  public static func untilProblem(within cuts: Int, _ part: (UInt64) throws -> Result) rethrows -> Result {
    var (seed, result) = (UInt64(0), Result())
    while result.cuts < cuts, result.problems.isEmpty {
      result += try part(seed)
      seed += 1
    }
    return result
  }

  /// Runs a part with each seed, until the number of cuts is reached or a part has found problems.
  public func run(_ part: (UInt64) throws -> Result) throws -> Result {
    var (seed, result) = (UInt64(0), Result())
    if let progress, let text = try? String(contentsOfFile: progress, encoding: .utf8) {
      let numbers = text.split(separator: " ").map { UInt64($0) ?? 0 }
      if numbers.count == 2 { (seed, result.cuts) = (numbers[0], Int(clamping: numbers[1])) }
    }
    let (start, before) = (Date(), result.cuts)
    var printed = start
    while result.cuts < count, result.problems.isEmpty {
      result += try part(seed)
      if result.problems.isEmpty { seed += 1 }
      guard let progress else { continue }
      let isDone = result.cuts >= count
      try "\(seed) \(isDone ? 0 : result.cuts)".write(toFile: progress, atomically: true, encoding: .utf8)
      if isDone || !result.problems.isEmpty || printed.timeIntervalSinceNow < -10 {
        printed = Date()
        let rate = Double(result.cuts - before) / max(0.001, printed.timeIntervalSince(start))
        // Not buffered, also if the output is a pipe.
        let line = "\(name): seed \(seed), \(result.cuts) power cuts, \(Int(rate)) a second\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }
    }
    return result
  }
}
