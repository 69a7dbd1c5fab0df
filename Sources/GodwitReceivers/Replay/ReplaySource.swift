public import Foundation
public import GodwitModel
internal import GodwitTracks
internal import Synchronization

/// Replays a track file: GPX, NMEA 0183 or GeoLife PLT. Track points without a time are skipped and counted. A GPX file with only
/// waypoints is a walk from one waypoint to the next, at their times or one each second.
///
/// Fixes keep the times of the file. The pace only determines when they are reported. With a factor, the recorded time passes
/// also while no client requests positions; without one, it waits for the clients. Headings of NMEA files (HDG, HDT) are reported
/// with the fixes of their time. The memory use does not depend on the size of the file.
public final class ReplaySource: PositionSource {
  /// The speed of a replay.
  public enum Pace: Sendable {
    /// A multiple of the recorded speed: 1 is real time, 60 is a minute of the file in a second.
    case factor(Double)
    /// Without pauses. `digested` is awaited after each piece of at most `most` fixes.
    case unpaced(most: Int = 1000, digested: @Sendable () async -> Void)
  }

  private let path: String
  private let pace: Pace
  private let after: Date?
  private let horizontalAccuracy: Meters?
  private let positions: (any ReplayPositions)?
  private let report: @Sendable (Report) -> Void

  /// The result of a replay.
  public struct Report: Sendable, Hashable {
    /// The number of fixes that were reported.
    public var fixes = 0
    /// The number of fixes that an earlier replay had reported.
    public var replayedBefore = 0
    /// The number of points without a time.
    public var withoutTime = 0
    /// The number of parts that were skipped, and the first of them as sentences.
    public var skipped = 0
    public var firstSkipped: [String] = []
    /// Why the replay ended early, as a sentence; `nil`: the file was read to its end.
    public var problem: String?
  }

  /// - Parameters:
  ///   - path: the recorded file.
  ///   - pace: the speed of the replay.
  ///   - after: the time at which an earlier replay ended; fixes up to it are skipped.
  ///   - horizontalAccuracy: metres, for fixes without an accuracy in the file; 5, as for positions that Xcode simulates. `nil`:
  ///     it stays unknown, which Core Location reports as 0.
  ///   - report: called once, when the file has been replayed to its end or to an error in it.
  public init(
    path: String, pace: Pace, after: Date? = nil, horizontalAccuracy: Meters? = 5,
    report: @escaping @Sendable (Report) -> Void = { _ in }
  ) {
    self.path = path
    self.pace = pace
    self.after = after
    self.horizontalAccuracy = horizontalAccuracy
    positions = nil
    self.report = report
  }

  /// - Parameters:
  ///   - path: the recorded file.
  ///   - pace: the speed of the replay.
  ///   - positions: has the position at which an earlier replay ended, and stores the progress of this one.
  ///   - report: called once, when the file has been replayed to its end or to an error in it.
  package init(
    path: String, pace: Pace, positions: any ReplayPositions, report: @escaping @Sendable (Report) -> Void
  ) {
    self.path = path
    self.pace = pace
    after = nil
    horizontalAccuracy = nil
    self.positions = positions
    self.report = report
  }

  public var isSimulated: Bool { true }

  public var timekeeping: Timekeeping {
    // The replay of a tracker loses no fix: it starts with the first request of the tracker, and continues where the tracker
    // stopped.
    if positions != nil { return .switchesOff }
    return switch pace {
    case .factor: .runsOn
    case .unpaced: .waits
    }
  }

  public var beginning: Date? {
    head.beginning.map { beginning in after.map { max($0, beginning) } ?? beginning }
  }

  /// Whether there are headings with the first positions of the file.
  public var hasCompass: Bool { head.hasCompass }

  private struct Head {
    var beginning: Date?
    var hasCompass = false
  }

  private let readHead = Mutex<Head?>(nil)

  private var head: Head {
    readHead.withLock { known in
      if let known { return known }
      var head = Head()
      if let file = try? ReplayFile(path: path, now: Date().timeIntervalSince1970, factor: factor) {
        head.beginning = (try? file.next())?.first?.time
        head.hasCompass = !file.headings.isEmpty
      }
      known = head
      return head
    }
  }

  private var factor: Double? { if case .factor(let factor) = pace { factor } else { nil } }

  public func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    var result = Report()
    do {
      let file = try ReplayFile(path: path, now: Date().timeIntervalSince1970, factor: factor)
      var passing = Passing(positions: positions, path: path)
      var schedule = ReplaySchedule()
      let clock = ContinuousClock()
      while let read = try file.next() {
        var fixes = try passing.skip(read, isTimed: file.isTimed)
        result.replayedBefore = passing.passed
        if let after { fixes.removeAll { $0.time <= after } }
        if let horizontalAccuracy {
          for index in fixes.indices where fixes[index].horizontalAccuracy == nil {
            fixes[index].horizontalAccuracy = horizontalAccuracy
          }
        }
        var headings = file.headings[...]
        result.fixes += fixes.count
        switch pace {
        case .unpaced(let maximum, let digested):
          var rest = fixes[...]
          while !rest.isEmpty {
            try Task.checkCancellation()
            let piece = Array(rest.prefix(max(1, maximum)))
            await Self.report(piece, &headings, tell)
            rest = rest.dropFirst(piece.count)
            await digested()
          }
        case .factor(let factor):
          var due: [Fix] = []
          for fix in fixes {
            let time = schedule.time(of: fix.time, factor: factor, now: clock.now)
            if time > clock.now {
              if !due.isEmpty { await Self.report(due, &headings, tell) }
              due = []
              try await clock.sleep(until: time)
            }
            try Task.checkCancellation()
            due.append(fix)
          }
          if !due.isEmpty { await Self.report(due, &headings, tell) }
        }
      }
      try passing.checkEnd()
      result.withoutTime = file.withoutTime
      (result.skipped, result.firstSkipped) = file.skipped
    } catch let error as CancellationError {
      throw error
    } catch {
      // A syntax error of the file does not contain the name of the file.
      let problem = error is TrackFileError ? "\(error)" : "\(path): \(error)"
      result.problem = problem
      report(result)
      await tell(.unavailable(problem))
      await tell(.finished)
      return
    }
    report(result)
    await tell(.finished)
  }
}

extension ReplaySource {
  /// Reports fixes, and the headings up to the last of them.
  private static func report(
    _ fixes: [Fix], _ headings: inout ArraySlice<CompassReading>, _ tell: (PositionEvent) async -> Void
  ) async {
    await tell(.positions(fixes))
    while let reading = headings.first, let last = fixes.last, reading.time <= last.time {
      headings.removeFirst()
      await tell(.heading(reading))
    }
  }
}

/// Skips the fixes that an earlier replay reported.
private struct Passing {
  let positions: (any ReplayPositions)?
  let path: String
  /// The number of fixes that were skipped.
  private(set) var passed = 0
  private var reported: (count: Int, last: Coordinate?)?
  private var position = 0

  init(positions: (any ReplayPositions)?, path: String) {
    self.positions = positions
    self.path = path
  }

  /// Skips fixes. - Returns: the fixes that were not reported before. - Throws: an error if the file is not the one that was
  /// replayed before.
  mutating func skip(_ fixes: [Fix], isTimed: Bool) throws -> [Fix] {
    guard let positions, let first = fixes.first else { return fixes }
    let reported = reported ?? positions.replayedBefore(first: first, isTimed: isTimed)
    self.reported = reported
    let known = min(fixes.count, max(0, reported.count - position))
    if known > 0, position + known == reported.count, let last = reported.last, fixes[known - 1].coordinate != last {
      throw otherFile
    }
    passed += known
    let new = Array(fixes.dropFirst(known))
    if !new.isEmpty { positions.willReport(new, from: position + known) }
    position += fixes.count
    return new
  }

  /// Throws if the file is shorter than the part that was reported before, because it is a different file then.
  func checkEnd() throws {
    if let reported, position < reported.count { throw otherFile }
  }

  private var otherFile: TrackFileError {
    TrackFileError(
      path: path,
      reason: "it has changed since it was replayed before; --from-start replays it from its beginning")
  }
}
