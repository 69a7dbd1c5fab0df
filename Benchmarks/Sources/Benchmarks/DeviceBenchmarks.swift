import DeviceLife
import Foundation

/// The processor time, disk space and memory that the SDK uses on a device, and the rate at which it sends its queue.
enum DeviceBenchmarks {
  /// The recorded track: the file that GODWIT_TRACK names, or the walk of the demonstration.
  private static var track: String {
    ProcessInfo.processInfo.environment["GODWIT_TRACK"] ?? "../Sources/GodwitCLI/Demo/korita-zbevnica.gpx"
  }

  #if os(Linux)
    static func measure(in folder: URL) throws -> [Measurement] {
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      // A day, three times: the processor time of the same work depends on the load of the machine.
      var day = DeviceReport()
      for round in 0..<3 {
        let sink = try SinkProcess()
        let report = try run(
          command(journal: path("day-\(round).journal"), url: sink.url, seconds: 86_400), isOnOneCore: true)
        let came = try sink.count()
        record(
          """
          a day: \(came.requests) requests, \(came.records) records, \(came.bytes >> 20) MiB, \(formatted(report.processor)) s \
          of the processor, \(formatted(report.seconds)) s on the wall
          """)
        if came.records < 86_400 { record("the day is not complete: \(came.records) of 86400 fixes came") }
        if round == 0 || report.processor < day.processor { day = report }
      }
      // A queue of ten days, then of up to a million records.
      let unreachable = "http://127.0.0.1:9/api/overland"
      let queue = path("queue.journal")
      let tenDays = try run(command(journal: queue, url: unreachable, seconds: 864_000, together: 20, isSending: false))
      let filled = try run(
        command(journal: queue, url: unreachable, seconds: 1_000_000 - tenDays.waiting, together: 20, isSending: false))
      let waiting = try run(command(journal: queue, url: unreachable, seconds: 600, isSending: false))
      record("\(filled.waiting) wait, then \(waiting.waiting); filling took at most \(tenDays.peak) MiB")
      // Sends the queue to a sink, and a copy of it to a server.
      let second = path("queue-2.journal")
      for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: queue + suffix) {
        try FileManager.default.copyItem(atPath: queue + suffix, toPath: second + suffix)
      }
      let other = try SinkProcess()
      let sent = try run(command(journal: queue, url: other.url))
      let arrived = try other.count()
      if arrived.records < waiting.waiting { record("only \(arrived.records) of \(waiting.waiting) came") }
      let server = try Server(in: folder)
      let served = try run(
        command(journal: second, url: "http://127.0.0.1:\(server.port)/api/overland", token: server.token))
      let megabyte = 1_000_000.0
      return [
        Measurement(
          name: "device, processor time of a day at 1 Hz, each fix committed alone, batches of 200, one core",
          value: day.processor,
          unit: "s", goal: 2, lowerIsBetter: true),
        Measurement(
          name: "device, journal of ten days at 1 Hz", value: Double(tenDays.journalSize) / megabyte, unit: "MB", goal: 150,
          lowerIsBetter: true),
        Measurement(
          name: "device, memory with a million records waiting, peak", value: waiting.peak, unit: "MiB", goal: 32,
          lowerIsBetter: true),
        Measurement(
          name: "device, send now of a million records to a sink", value: Double(waiting.waiting) / sent.seconds,
          unit: "records/s", goal: 50_000),
        Measurement(
          name: "device, memory while it sends a million records, peak", value: sent.peak, unit: "MiB", goal: 32,
          lowerIsBetter: true),
        Measurement(
          name: "device, send now of a million records to godwit serve, durable on both sides",
          value: Double(waiting.waiting) / served.seconds, unit: "records/s", goal: 50_000),
      ]
    }

    private static func command(
      journal: String, url: String, seconds: Int = 0, together: Int = 1, isSending: Bool = true, token: String? = nil
    ) -> Device.Command {
      var command = Device.Command(journal: journal, url: url, token: token, track: track)
      (command.seconds, command.together, command.isSending) = (seconds, together, isSending)
      return command
    }

    /// - Parameter isOnOneCore: whether it runs on one core, as a goal requires. Wake-ups between two cores take more time.
    private static func run(_ command: Device.Command, isOnOneCore: Bool = false) throws -> DeviceReport {
      let words = ["life", String(decoding: try JSONEncoder().encode(command), as: UTF8.self)]
      let output =
        if isOnOneCore, let taskset = Programs.find("taskset") {
          try Programs.run(taskset, ["-c", "0", Programs.device.path] + words)
        } else {
          try Programs.run(Programs.device, words)
        }
      return try JSONDecoder().decode(DeviceReport.self, from: Data(output.utf8))
    }

    private static func record(_ text: String) { FileHandle.standardError.write(Data("  (\(text))\n".utf8)) }
  #else
    /// Returns nothing: Apple's Core Location cannot replay a recorded track.
    static func measure(in folder: URL) throws -> [Measurement] { [] }
  #endif
}
