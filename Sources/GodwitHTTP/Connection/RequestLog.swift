internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import Synchronization

/// Writes a line for each answered request. A line contains the route of a request, not its URL, so that no token is
/// logged.
public final class RequestLog: Sendable {
  /// The format of the lines.
  public enum Format: String, Sendable, CaseIterable {
    /// `level name=value …`
    case text
    /// One JSON object per line.
    case json
    /// No lines are written.
    case off
  }

  /// The requests that are logged.
  public enum Level: String, Sendable, CaseIterable, Comparable {
    /// All requests.
    case info
    /// Rejected and failed requests: statuses from 400 on.
    case warning
    /// Requests that failed on the server: statuses from 500 on.
    case error

    public static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    /// The priority in systemd's journal.
    fileprivate var priority: Int { [6, 4, 3][rank] }

    fileprivate init(status: Int) { self = status >= 500 ? .error : status >= 400 ? .warning : .info }
  }

  /// An answered request.
  struct Entry: Sendable {
    var id: String
    var method: String
    /// The pattern of the route.
    var route: String
    var status: Int
    /// Bytes of the response's body; `nil`: the body is streamed.
    var bytes: Int?
    var milliseconds: Double
    /// `device/3`, `user/1`, `token/2`, `administrator`.
    var who: String?
    var address: String
  }

  private let format: Format
  private let level: Level
  /// Whether lines are for systemd's journal, which adds the time and expects the priority as a prefix.
  private let isJournal: Bool
  private let now: @Sendable () -> Date
  private let sink: @Sendable ([UInt8]) -> Void
  private let waiting = Mutex(Waiting())
  private let queue = DispatchQueue(label: "godwit.log")
  /// Maximum bytes that wait to be written. More lines are dropped.
  private static let maximumWaiting = 4 << 20

  /// The failures with the same reason since the last line about it.
  private struct Failures {
    var reported: Date
    var count = 0
  }
  private let failures = Mutex<[String: Failures]>([:])
  /// Minimum seconds between two lines with the same reason.
  private static let failurePause = 30.0

  private struct Waiting {
    var bytes: [UInt8] = []
    var dropped = 0
  }

  /// Creates a log that writes to standard error, in the format of systemd's journal if `JOURNAL_STREAM` is set.
  /// - Parameters:
  ///   - format: the format of the lines.
  ///   - level: the requests that are logged.
  public convenience init(format: Format, level: Level) {
    self.init(
      format: format, level: level, isJournal: ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil, now: { Date() },
      // If standard error is closed, the lines are dropped.
      sink: { try? FileHandle.standardError.write(contentsOf: $0) })
  }

  /// - Parameters:
  ///   - format: the format of the lines.
  ///   - level: the requests that are logged.
  ///   - isJournal: whether the lines are for systemd's journal, which adds the time and reads the priority.
  ///   - now: the time.
  ///   - sink: writes whole lines; not called concurrently.
  init(
    format: Format, level: Level, isJournal: Bool, now: @escaping @Sendable () -> Date,
    sink: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.format = format
    self.level = level
    self.isJournal = isJournal
    self.now = now
    self.sink = sink
  }

  /// Whether a response with this status is logged.
  func wants(status: Int) -> Bool { format != .off && Level(status: status) >= level }

  func write(_ entry: Entry) { append(text(of: entry)) }

  /// Logs the cause of a failure of the store: the first one immediately, then at most every 30 s, with the number of
  /// failures.
  /// - Parameters:
  ///   - reason: the text that clients receive.
  ///   - cause: the complete error.
  func failure(_ reason: String, cause: String) {
    guard format != .off else { return }
    let time = now()
    let count = failures.withLock { failures -> Int? in
      var known = failures[reason] ?? Failures(reported: .distantPast)
      known.count += 1
      defer { failures[reason] = known }
      guard abs(time.timeIntervalSince(known.reported)) >= Self.failurePause else { return nil }
      defer { known = Failures(reported: time) }
      return known.count
    }
    if let count { append(text(ofFailure: reason, cause, count: count)) }
  }

  private func append(_ text: String) {
    let line = Array((text + "\n").utf8)
    let isFirst = waiting.withLock { waiting in
      if waiting.bytes.count + line.count > Self.maximumWaiting {
        waiting.dropped += 1
        return false
      }
      waiting.bytes += line
      return waiting.bytes.count == line.count
    }
    if isFirst { queue.async { [self] in flush() } }
  }

  /// Writes the pending lines. Blocks until they are written.
  package func finish() { queue.sync { flush() } }

  private func flush() {
    let (bytes, dropped) = waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return (waiting.bytes, waiting.dropped)
    }
    if !bytes.isEmpty { sink(bytes) }
    guard dropped > 0 else { return }
    sink(Array("\(dropped) lines of the log were dropped, because they came faster than they could be written.\n".utf8))
  }

  private func text(ofFailure reason: String, _ cause: String, count: Int) -> String {
    let time = isJournal ? nil : RFC3339.string(now())
    if format == .json {
      return JSONText.object {
        if let time { $0.add("time", time) }
        $0.add("level", Level.error.rawValue)
        $0.add("reason", reason)
        $0.add("cause", cause)
        $0.add("count", count)
      }
    }
    let start = isJournal ? "<\(Level.error.priority)>" : "\(time ?? "") "
    return start + "error reason=\(reason.jsonQuoted) cause=\(cause.jsonQuoted) count=\(count)"
  }

  private func text(of entry: Entry) -> String {
    let level = Level(status: entry.status)
    let milliseconds = String(format: "%.1f", entry.milliseconds)
    let time = isJournal ? nil : RFC3339.string(now())
    switch format {
    case .json:
      return JSONText.object {
        if let time { $0.add("time", time) }
        $0.add("level", level.rawValue)
        $0.add("id", entry.id)
        $0.add("method", entry.method)
        $0.add("route", entry.route)
        $0.add("status", entry.status)
        $0.add("bytes", raw: entry.bytes.map(String.init) ?? "null")
        $0.add("ms", raw: milliseconds)
        $0.add("who", entry.who)
        $0.add("address", entry.address)
      }
    case .text, .off:
      let start = isJournal ? "<\(level.priority)>" : "\(time ?? "") "
      return start + "\(level.rawValue) id=\(entry.id) method=\(entry.method) route=\(entry.route) status=\(entry.status)"
        + " bytes=\(entry.bytes.map(String.init) ?? "-") ms=\(milliseconds) who=\(entry.who ?? "-") address=\(entry.address)"
    }
  }
}

extension RequestLog.Entry {
  /// - Parameters:
  ///   - request: the request.
  ///   - status: the status of the response.
  ///   - bytes: the size of the response's body; `nil`: streamed.
  init(of request: HTTPRequest, status: Int, bytes: Int?) {
    // An unknown method may be any text.
    let isKnown = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"].contains(request.method)
    self.init(
      id: request.requestID, method: isKnown ? request.method : "other", route: request.route?.path ?? "other", status: status,
      bytes: bytes, milliseconds: request.milliseconds,
      who: request.context?.requester, address: request.clientAddress)
  }
}
