package import Foundation
package import GodwitEngine
internal import GodwitHTTPClient
package import GodwitModel

extension Tracker {
  /// A file with the events of a tracker's engine and their effects, one JSON object a line, so that a fault can be
  /// reproduced. It contains positions and settings, and no tokens.
  public final class EventLog: @unchecked Sendable {
    // `@unchecked Sendable`: only the tracker that owns it calls its methods, one at a time.

    /// The initial state of an engine: the first line of each run.
    package struct Beginning: Codable, Sendable {
      /// The version of the log's format.
      package var godwit = Tracker.EventLog.version
      package var settings: Settings
      package var plans: [EndpointPlan]
      package var uniqueID: String?
    }

    /// An event and the effects that the engine returned for it: one line.
    package struct Step: Codable, Sendable {
      /// Seconds since 2001-01-01 00:00 UTC, the exact value inside a `Date`.
      package var at: Double
      package var event: Event
      package var effects: [Effect]

      package var time: Date { Date(timeIntervalSinceReferenceDate: at) }
    }

    /// The version of the format that is written and read.
    package static let version = 2

    private let file: FileHandle
    private let encoder = JSONEncoder()
    private var size: UInt64
    private let limit: UInt64
    /// The reason why writing has stopped, as a sentence; `nil`: it has not.
    public private(set) var problem: String?

    /// Opens a file for appending, or creates it.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the maximum size of the file in bytes. After it is reached nothing more is written.
    public init(path: String, limit: UInt64 = 256 << 20) throws(GodwitError) {
      (file, size) = try GodwitError.wrapping(.fileUnavailable) { try Self.open(path) }
      self.limit = limit
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.nonConformingFloatEncodingStrategy = Self.nonNumbers
    }

    private static func open(_ path: String) throws -> (FileHandle, size: UInt64) {
      if !FileManager.default.fileExists(atPath: path) {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
          throw HTTPError("\(path): the event log cannot be created. Use a file in a writable folder.")
        }
      }
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      var size = try file.seekToEnd()
      // A killed program may have left an incomplete line: new lines begin after it.
      if size > 0 {
        try file.seek(toOffset: size - 1)
        let isCut = try file.read(upToCount: 1) != Data("\n".utf8)
        try file.seekToEnd()
        if isCut {
          try file.write(contentsOf: Data("\n".utf8))
          size += 1
        }
      }
      return (file, size)
    }

    /// The encoding of numbers that JSON does not have, and that a receiver may report.
    fileprivate static let nonNumbers = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")

    func begin(_ beginning: Beginning) { write(beginning) }

    func append(_ event: Event, _ effects: [Effect], at now: Date) {
      write(Step(at: now.timeIntervalSinceReferenceDate, event: event, effects: effects))
    }

    private func write(_ line: some Encodable) {
      guard problem == nil else { return }
      do {
        var data = try encoder.encode(line)
        data.append(UInt8(ascii: "\n"))
        guard size + UInt64(data.count) <= limit else {
          problem = "The event log has reached \(limit >> 20) MiB and is no longer written."
          return
        }
        try file.write(contentsOf: data)
        size += UInt64(data.count)
      } catch { problem = "The event log cannot be written: \(error)" }
    }
  }
}

/// Replays an event log.
package struct EventReplay {
  /// The result of a replayed step.
  package struct Outcome {
    package var line: Int
    package var step: Tracker.EventLog.Step
    /// The effects that this version of the engine returns.
    package var effects: [Effect]
    /// Whether these effects equal the recorded ones, bit for bit.
    package var isSame: Bool
    /// The engine after the step.
    package var engine: Engine
  }

  private var engine: Engine?
  private var line = 0
  private let decoder = JSONDecoder()
  private let encoder = JSONEncoder()

  package init() {
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = Tracker.EventLog.nonNumbers
  }

  /// Processes the next line. After an error the next run in the file can be processed, but no further step of the current run.
  /// - Parameter text: the line.
  /// - Returns: the result of the step; `nil` for the beginning of a run.
  /// - Throws: `HTTPError` with a sentence that contains the line's number, for an invalid or truncated line, and for a run that
  ///   was written in another version of the format.
  package mutating func replay(_ text: String) throws -> Outcome? {
    line += 1
    let data = Data(text.utf8)
    let before = engine
    // The state is unknown until this line has been decoded.
    engine = nil
    do {
      if let version = try? decoder.decode(Version.self, from: data) {
        guard version.godwit == Tracker.EventLog.version else {
          throw HTTPError(
            """
            line \(line): this log is written in version \(version.godwit); this program reads version \(Tracker.EventLog.version). \
            Replay it with the godwit that wrote it.
            """)
        }
        let beginning = try decoder.decode(Tracker.EventLog.Beginning.self, from: data)
        engine = Engine(settings: beginning.settings, plans: beginning.plans, uniqueID: beginning.uniqueID)
        return nil
      }
      let step = try decoder.decode(Tracker.EventLog.Step.self, from: data)
      guard var engine = before else { throw HTTPError("line \(line): a step without the start of its run.") }
      let effects = engine.handle(step.event, at: step.time)
      self.engine = engine
      return Outcome(line: line, step: step, effects: effects, isSame: try isSame(effects, step.effects), engine: engine)
    } catch is DecodingError where (try? JSONSerialization.jsonObject(with: data)) == nil {
      throw HTTPError("line \(line): cut off or damaged; the program may have been killed while it wrote it.")
    } catch let error as DecodingError {
      throw HTTPError("line \(line): not a line of an event log: \(error)")
    }
  }

  private struct Version: Decodable { var godwit: Int }

  /// Returns whether effects are equal. Effects with NaN, which never equals itself, are compared by their encoded text.
  private func isSame(_ now: [Effect], _ then: [Effect]) throws -> Bool {
    if now == then { return true }
    return try encoder.encode(now) == encoder.encode(then)
  }
}
