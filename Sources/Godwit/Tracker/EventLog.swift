public import Foundation
public import GodwitEngine
public import GodwitModel

/// The events of a tracker's engine in a file, with what the engine did: a line of JSON each, so that a report of a
/// fault can be run again. It holds places and settings, and no tokens.
public final class EventLog: @unchecked Sendable {
  // `@unchecked Sendable`: used by the tracker that owns it, one call at a time.

  /// What an engine is made of, at the beginning of each run.
  public struct Beginning: Codable, Sendable {
    public var godwit = 1
    public var settings: Settings
    public var plans: [EndpointPlan]
    public var uniqueID: String?
  }

  /// One step.
  public struct Step: Codable, Sendable {
    /// Seconds since 2001, which a `Date` has inside: to the last bit.
    public var at: Double
    public var event: Event
    public var effects: [Effect]

    public var time: Date { Date(timeIntervalSinceReferenceDate: at) }
  }

  private let file: FileHandle
  private let encoder = JSONEncoder()
  private var size: UInt64
  private let limit: UInt64
  /// Why nothing is written any more, as a sentence.
  public private(set) var problem: String?

  /// Appends to a file, or makes it.
  /// - Parameters:
  ///   - path: of the file.
  ///   - limit: bytes after which nothing more is written.
  public init(path: String, limit: UInt64 = 256 << 20) throws {
    if !FileManager.default.fileExists(atPath: path) {
      guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
        throw HTTPError("\(path): the event log cannot be made. Name a file in a folder that can be written.")
      }
    }
    file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    size = try file.seekToEnd()
    self.limit = limit
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

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
        problem = "The event log has reached \(limit >> 20) MiB and is written no further."
        return
      }
      try file.write(contentsOf: data)
      size += UInt64(data.count)
    } catch { problem = "The event log cannot be written: \(error)" }
  }
}

/// Runs an event log again.
public struct EventReplay {
  /// What came of a step.
  public struct Outcome {
    public var line: Int
    public var step: EventLog.Step
    /// What the engine does now.
    public var effects: [Effect]
    /// Whether that is what it did then, bit for bit.
    public var isSame: Bool { effects == step.effects }
    /// The engine after the step.
    public var engine: Engine
  }

  private var engine: Engine?
  private var line = 0
  private let decoder = JSONDecoder()

  public init() {}

  /// Takes the next line. - Returns: `nil` for the beginning of a run.
  /// - Throws: a sentence with the line's number, for a line that is no step.
  public mutating func take(_ text: String) throws -> Outcome? {
    line += 1
    let data = Data(text.utf8)
    do {
      if text.contains(#""godwit":"#), let beginning = try? decoder.decode(EventLog.Beginning.self, from: data) {
        engine = Engine(settings: beginning.settings, plans: beginning.plans, uniqueID: beginning.uniqueID)
        return nil
      }
      let step = try decoder.decode(EventLog.Step.self, from: data)
      guard var engine else { throw HTTPError("line \(line): a step before the beginning of a run.") }
      let effects = engine.handle(step.event, at: step.time)
      self.engine = engine
      return Outcome(line: line, step: step, effects: effects, engine: engine)
    } catch let error as DecodingError {
      throw HTTPError("line \(line): this is no line of an event log: \(error)")
    }
  }
}
