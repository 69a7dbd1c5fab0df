internal import Foundation
internal import GodwitIntake
internal import GodwitStore
internal import Synchronization

/// What the server counted since it started, for Prometheus.
final class Metrics: Sendable {
  let intake = IntakeCounters()
  private let started = Date()
  private let answers = Mutex<[Key: Int]>([:])

  private struct Key: Hashable {
    var route: String
    var status: Int
  }

  func count(route: String, status: Int) {
    answers.withLock { $0[Key(route: route, status: status), default: 0] += 1 }
  }

  /// Prometheus' text format, version 0.0.4.
  func text(suspended: Int, subscribers: Int, droppedEvents: Int) -> String {
    var text = ""
    func metric(_ name: String, _ type: String, _ help: String, _ lines: [(labels: String, value: String)]) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
      for line in lines { text += "\(name)\(line.labels) \(line.value)\n" }
    }
    func counter(_ name: String, _ help: String, _ value: borrowing Atomic<Int>) {
      metric(name, "counter", help, [("", String(value.load(ordering: .relaxed)))])
    }
    metric(
      "godwit_http_requests_total", "counter", "Answers by route and status.",
      answers.withLock { $0 }.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }.map {
        (#"{route="\#($0.key.route)",status="\#($0.key.status)"}"#, String($0.value))
      })
    counter("godwit_records_saved_total", "Records that were new.", intake.saved)
    counter("godwit_records_duplicate_total", "Records that the store had already.", intake.duplicates)
    counter(
      "godwit_records_rejected_total", "Parts of requests that were no valid records; kept as they came.", intake.rejected)
    counter("godwit_commits_total", "Transactions of the store.", intake.commits)
    counter("godwit_received_bytes_total", "Bytes of request bodies.", intake.receivedBytes)
    metric(
      "godwit_requests_waiting", "gauge", "Requests that wait for their commit or for events.",
      [("", String(suspended))])
    metric("godwit_event_subscribers", "gauge", "Open event streams.", [("", String(subscribers))])
    metric(
      "godwit_events_dropped_total", "counter", "Events that slow subscribers lost.", [("", String(droppedEvents))])
    metric(
      "process_start_time_seconds", "gauge", "When the server started, Unix time.",
      [("", String(Int(started.timeIntervalSince1970)))])
    if let resident = Self.residentBytes {
      metric("process_resident_memory_bytes", "gauge", "Resident memory.", [("", String(resident))])
    }
    return text
  }

  /// Second field of /proc/self/statm, in pages; `nil` where there is no /proc.
  private static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}

/// What the store says of itself at the moment that it is asked, for Prometheus.
enum StoreGauges {
  static func text(_ connection: any SQLConnection) throws -> String {
    func gauge(_ name: String, _ help: String, _ sql: String) throws -> String {
      "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name) \(try connection.integer(sql) ?? 0)\n"
    }
    return try gauge("godwit_devices", "Devices.", "SELECT count(*) FROM devices")
      + gauge(
        "godwit_devices_silent", "Devices that are silent for longer than their habits or their owner's word explain.",
        "SELECT count(*) FROM silences")
      + gauge(
        "godwit_days_waiting", "Days of devices whose points changed since visits, trips and lines were made of them.",
        "SELECT count(*) FROM stale_days")
  }
}
