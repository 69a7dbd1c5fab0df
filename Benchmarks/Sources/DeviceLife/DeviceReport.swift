internal import Foundation

/// What a device did, in a process of its own: so that its processor time and its memory are its own.
package struct DeviceReport: Codable {
  /// Seconds of processor time, in the program and in the system for it.
  package var processor = 0.0
  /// Seconds on the wall.
  package var seconds = 0.0
  /// MiB that were resident at the end, and at most.
  package var resident = 0.0
  package var peak = 0.0
  /// Records that still wait.
  package var waiting = 0
  /// Bytes of the journal's files.
  package var journalSize = 0

  package init() {}

  /// KiB, by a name of /proc/PROCESS/status; not a number where there is none.
  package static func memory(_ key: String, of process: String = "self") -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") } ?? ""
    return Double(line.split(whereSeparator: { !$0.isNumber }).first ?? "") ?? .nan
  }

  /// Seconds of this process, in it and in the system for it.
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
