internal import Foundation
package import GodwitIntake
package import GodwitServices
internal import GodwitStore
internal import Synchronization

/// Counters since the start of the server.
package final class Metrics: Sendable {
  package let intake = IntakeCounters()
  private let started: Date
  private let responses = Mutex<[Key: Int]>([:])

  /// - Parameter clock: the clock of the server; its current time is the start of the server.
  package init(clock: ServerClock) { started = clock.now }

  private struct Key: Hashable {
    var route: String
    var status: Int
  }

  func count(route: String, status: Int) {
    responses.withLock { $0[Key(route: route, status: status), default: 0] += 1 }
  }

  /// Writes the counters.
  /// - Parameters:
  ///   - suspended: the number of requests that wait for their commit or for events.
  ///   - subscribers: the number of open event streams.
  ///   - droppedEvents: the number of events that slow subscribers did not get.
  ///   - metrics: the other metrics.
  func write(suspended: Int, subscribers: Int, droppedEvents: Int, to metrics: inout MetricsText) {
    func value(_ counter: borrowing Atomic<Int>) -> Int { counter.load(ordering: .relaxed) }
    metrics.add(
      "godwit_http_requests_total", .counter, "Responses by route and status.",
      responses.withLock { $0 }.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }.map {
        .init(["route": $0.key.route, "status": String($0.key.status)], $0.value)
      })
    metrics.counter("godwit_http_request_bytes_total", "Bytes of request bodies.", value(intake.receivedBytes))
    metrics.gauge("godwit_http_requests_suspended", "Requests that wait for their commit or for events.", suspended)
    metrics.add(
      "godwit_records_total", .counter, "Received records: new ones, duplicates, and rejected parts of requests.",
      [
        .init(["result": "saved"], value(intake.saved)), .init(["result": "duplicate"], value(intake.duplicates)),
        .init(["result": "rejected"], value(intake.rejected)),
      ])
    metrics.counter("godwit_store_commits_total", "Transactions of the store.", value(intake.commits))
    metrics.gauge("godwit_event_subscribers", "Open event streams.", subscribers)
    metrics.counter("godwit_events_dropped_total", "Events that slow subscribers lost.", droppedEvents)
    metrics.gauge("process_start_time_seconds", "Start of the server, Unix time.", Int(started.timeIntervalSince1970))
    if let resident = Self.residentBytes { metrics.gauge("process_resident_memory_bytes", "Resident memory.", resident) }
  }

  /// The resident memory in bytes: the second field of /proc/self/statm, which is in pages. `nil` on systems without /proc.
  private static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// Writes the numbers of rows in the store.
enum StoreGauges {
  static func write(_ db: any SQLConnection, to metrics: inout MetricsText) throws {
    func gauge(_ name: String, _ help: String, _ sql: String) throws {
      metrics.gauge(name, help, Int(try db.integer(sql) ?? 0))
    }
    try gauge("godwit_devices", "Devices.", "SELECT count(*) FROM devices")
    try gauge("godwit_devices_offline", "Devices that are overdue.", "SELECT count(*) FROM offline_devices")
    try gauge(
      "godwit_dirty_days", "Days of devices whose visits, trips and lines are to be computed again.",
      "SELECT count(*) FROM dirty_days")
  }
}
