public import Foundation
internal import GodwitFormats
internal import GodwitModel

/// Replays a track file: GPX, NMEA 0183 or GeoLife PLT. Points without a time are passed over and counted.
///
/// Fixes keep the times of the file; only when they are told depends on the pace. Memory does not grow with the
/// file.
public final class ReplaySource: PositionSource {
  /// How fast.
  public enum Pace: Sendable {
    /// So many times faster than it happened.
    case factor(Double)
    /// As fast as the listener wants: `digested` is awaited after each piece of at most so many fixes.
    case unpaced(most: Int = 1000, digested: @Sendable () async -> Void)
  }

  private let path: String
  private let pace: Pace
  private let after: Date?
  private let report: @Sendable (Report) -> Void

  /// What the file was.
  public struct Report: Sendable, Hashable {
    /// Fixes that were told.
    public var fixes = 0
    /// Points without a time.
    public var withoutTime = 0
    /// Parts that were passed over, and the first of them, as sentences.
    public var skipped = 0
    public var firstSkipped: [String] = []
    /// Why it ended early, as a sentence; `nil` when it was read to its end.
    public var problem: String?
  }

  /// Longest wait between two fixes, in seconds of the listener: longer ones are cut.
  private static let longestWait = 3600.0

  /// - Parameters:
  ///   - path: the recorded file.
  ///   - pace: how fast it is told.
  ///   - after: passes over fixes up to this time: where an earlier replay ended.
  ///   - report: told once, when the file has been told to its end or to an error in it.
  public init(
    path: String, pace: Pace, after: Date? = nil, report: @escaping @Sendable (Report) -> Void = { _ in }
  ) {
    self.path = path
    self.pace = pace
    self.after = after
    self.report = report
  }

  public var isSimulated: Bool { true }

  public func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    var result = Report()
    do {
      let file = try TrackFile(path: path)
      // The clock of the listener at the first fix, and that fix's time.
      var origin: (listener: ContinuousClock.Instant, track: Date)?
      let clock = ContinuousClock()
      while let points = try file.next() {
        var fixes = points.compactMap(\.fix)
        if let after { fixes.removeAll { $0.time <= after } }
        result.fixes += fixes.count
        switch pace {
        case .unpaced(let most, let digested):
          var rest = fixes[...]
          while !rest.isEmpty {
            try Task.checkCancellation()
            await tell(.positions(Array(rest.prefix(max(1, most)))))
            rest = rest.dropFirst(max(1, most))
            await digested()
          }
        case .factor(let factor):
          var due: [Fix] = []
          for fix in fixes {
            let start = origin ?? (clock.now, fix.time)
            origin = start
            let seconds = min(fix.time.timeIntervalSince(start.track) / factor, 1e8)
            let time = start.listener.advanced(by: .seconds(max(0, seconds)))
            if time > clock.now {
              if !due.isEmpty { await tell(.positions(due)) }
              due = []
              if clock.now.duration(to: time) > .seconds(Self.longestWait) { origin = (clock.now, fix.time) }
              try await clock.sleep(until: min(time, clock.now.advanced(by: .seconds(Self.longestWait))))
            }
            try Task.checkCancellation()
            due.append(fix)
          }
          if !due.isEmpty { await tell(.positions(due)) }
        }
      }
      result.withoutTime = file.withoutTime
      (result.skipped, result.firstSkipped) = (
        file.skipped.count, file.skipped.first.map { "\($0.place): \($0.reason)" }
      )
    } catch let error as CancellationError {
      throw error
    } catch {
      result.problem = "\(error)"
      report(result)
      await tell(.unavailable("\(error)"))
      await tell(.finished)
      return
    }
    report(result)
    await tell(.finished)
  }
}
