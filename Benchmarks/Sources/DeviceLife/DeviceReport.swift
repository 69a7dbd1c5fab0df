internal import Foundation

/// The result of a device. The device runs in a separate process, so that its processor time and memory can be measured.
package struct DeviceReport: Codable {
  /// Seconds of user and system time.
  package var processor = 0.0
  /// Seconds of wall time.
  package var seconds = 0.0
  /// Resident memory in MiB at the end, and its peak.
  package var resident = 0.0
  package var peak = 0.0
  /// Records that are not sent yet.
  package var waiting = 0
  /// Bytes of the journal's files.
  package var journalSize = 0

  package init() {}

  /// Returns a value of /proc/PROCESS/status in KiB, or NaN if there is none.
  package static func memory(_ key: String, of process: String = "self") -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") } ?? ""
    return Double(line.split(whereSeparator: { !$0.isNumber }).first ?? "") ?? .nan
  }

  /// Seconds of user and system time of this process.
  package static var processorTime: Double {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
