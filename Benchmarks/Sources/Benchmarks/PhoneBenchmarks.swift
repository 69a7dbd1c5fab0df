#if os(Linux)
  import DeviceLife
  import Foundation
  import Godwit
  import GodwitModel
  import GodwitPhone
  import GodwitSimulator

  /// The whole SDK on a simulated phone, with its journal, its delivery and a server: the speed relative to real time on one core, and
  /// the growth of memory in a month. Each simulation runs in a separate process.
  enum PhoneBenchmarks {
    private struct Report: Codable {
      var seconds = 0.0
      var records = 0
      /// MiB after three days, and at the end.
      var early = 0.0
      var late = 0.0
    }

    static func measure() throws -> [Measurement] {
      let drive = try run("drive")
      let month = try run("month")
      let adaptive = try run("adaptive")
      return [
        Measurement(
          name: "phone, a tracker's day at 1 Hz without a pause, \(drive.records) records, times real time",
          value: 86_400 / drive.seconds, unit: "× real time", goal: 100_000),
        Measurement(
          name: "phone, days of always-best with three hours on the way, times real time",
          value: 30 * 86_400 / month.seconds, unit: "× real time", goal: 100_000),
        Measurement(
          name: "phone, a month of always-best, \(month.records) records", value: month.seconds, unit: "s", goal: 30,
          lowerIsBetter: true),
        Measurement(
          name: "phone, memory from the third day of it to the last", value: month.late - month.early, unit: "MiB more", goal: 2,
          lowerIsBetter: true),
        Measurement(
          name: "phone, a month of adaptive, \(adaptive.records) records", value: adaptive.seconds, unit: "s", goal: 30,
          lowerIsBetter: true),
      ]
    }

    private static func run(_ life: String) throws -> Report {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["phone-child", life]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return try JSONDecoder().decode(Report.self, from: data)
    }

    /// Runs one of the simulations and prints its results.
    static func child(_ life: String) throws {
      let days = life == "drive" ? 1 : 30
      let start = SimulatedTime(microseconds: 1_795_132_800_000_000)
      var tracks: [[Fix]] = []
      for day in 0..<days {
        let hours = life == "drive" ? [0.0..<24.0] : [8.0..<9.0, 12.0..<12.5, 17.0..<18.5]
        for span in hours {
          let seconds = Int(span.lowerBound * 3_600)..<Int(span.upperBound * 3_600)
          tracks.append(
            seconds.compactMap { second in
              // There and back.
              let route = Double(second % 3_600 < 1_800 ? second % 3_600 : 3_600 - second % 3_600)
              return Coordinate(latitude: 45 + route * 0.0001, longitude: 14 + route * 0.00005).map {
                Fix(time: (start + Double(day * 86_400 + second)).date, coordinate: $0)
              }
            })
        }
      }
      var settings = Settings()
      settings.apply(life == "adaptive" ? .adaptive : .highResolution)
      var configuration = SimulatedPhone.Configuration(truth: try Truth(days: tracks))
      configuration.start = start
      // The phone is charging; the records of the last five minutes are not yet sent at the end.
      configuration.hazards = HazardScript([HazardScript.Line(after: 1, .charger(true))])
      let server = MemoryServer()
      var report = Report()
      // Processor time and not wall time, because it does not depend on the load of the machine.
      let begin = DeviceReport.processorTime
      let phone = SimulatedPhone(configuration, tracker: TrackerApp(settings: settings), server: server)
      for day in 1...days {
        phone.run(until: start + Double(day * 86_400))
        report.records += phone.finishLog(policy: life, route: "commuter", day: "\(day)").records.count
        if day == 3 { report.early = DeviceReport.memory("VmRSS") / 1024 }
      }
      report.seconds = DeviceReport.processorTime - begin
      report.late = DeviceReport.memory("VmRSS") / 1024
      phone.end()
      precondition(server.count + 400 > report.records && server.duplicates == 0, "\(server.count) arrived")
      print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
  }
#endif
