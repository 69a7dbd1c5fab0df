import Foundation
import GodwitModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A minimal server: accepts every request, counts the sequence numbers of the journal that it covers, and stores nothing.
/// It runs in a separate process, so that only the tracker is measured.
enum Sink {
  /// The counts, which are written at each line of its standard input.
  struct Count: Codable {
    var requests = 0
    /// The number of records, according to the header `Godwit-Range`.
    var records = 0
    var bytes = 0
  }

  private static let count = Mutex(Count())

  /// Listens on a free port of this machine, prints it, and serves until it is ended.
  static func serve() throws -> Never {
    let (listener, port) = try LocalSocket.makeListener()
    FileHandle.standardOutput.write(Data("\(port)\n".utf8))
    Thread.detachNewThread {
      while readLine() != nil {
        let count = count.withLock { $0 }
        FileHandle.standardOutput.write((try? JSONEncoder().encode(count)) ?? Data())
      }
      exit(0)
    }
    while true {
      let connection = accept(listener, nil, nil)
      if connection >= 0 { Thread.detachNewThread { response(connection) } }
    }
  }

  /// Serves one connection to its end.
  private static func response(_ connection: Int32) {
    defer { close(connection) }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var held: [UInt8] = []
    while true {
      // The head.
      var end: Int?
      while end == nil {
        if let range = held.firstRange(of: Array("\r\n\r\n".utf8)) {
          end = range.upperBound
          break
        }
        let got = read(connection, &buffer, buffer.count)
        guard got > 0 else { return }
        held += buffer[..<got]
      }
      guard let end else { return }
      let head = String(decoding: held[..<end], as: UTF8.self).lowercased()
      func header(_ name: String) -> Substring? {
        head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }?.dropFirst(name.count + 2)
      }
      let size = header("content-length").flatMap { Int($0) } ?? 0
      // The body, which is discarded.
      var missing = size - (held.count - end)
      held = missing < 0 ? Array(held[(end + size)...]) : []
      while missing > 0 {
        let got = read(connection, &buffer, min(buffer.count, missing))
        guard got > 0 else { return }
        missing -= got
      }
      let range = header("godwit-range").flatMap { SequenceRange(String($0)) }
      count.withLock {
        $0.requests += 1
        $0.bytes += size
        $0.records += range?.numbers.count ?? 0
      }
      // The response of a Godwit server: only to such a server the tracker sends the range of a request.
      let text = #"{"result":"ok","saved":0,"duplicates":0,"rejected":[]}"#
      let response = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
      let bytes = Array(response.utf8)
      guard write(connection, bytes, bytes.count) == bytes.count else { return }
    }
  }
}

/// A sink in a separate process.
final class SinkProcess {
  let port: Int
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init() throws {
    process.executableURL = Programs.benchmarks
    process.arguments = ["sink"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw CocoaError(.fileReadUnknown) }
    self.port = port
  }

  var url: String { "http://127.0.0.1:\(port)/api/overland" }

  /// The counts so far.
  func count() throws -> Sink.Count {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    return try JSONDecoder().decode(Sink.Count.self, from: output.fileHandleForReading.availableData)
  }

  deinit {
    // The sink exits at the end of its standard input.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
