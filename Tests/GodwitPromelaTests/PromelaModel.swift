import Foundation
import TestCluster
import TestParts
import Testing

/// A model in Promela. `spin` and the C compiler turn it into a program that visits all states of the model.
struct PromelaModel: Sendable {
  /// The result of a run of the program.
  struct Result: Sendable {
    /// The number of violated assertions, states without a successor, and runs that violate the temporal property.
    var errors: Int
    var states: Int
    /// The number of events of each trace that the model can follow.
    var followed: [Int]
    /// The output of the program.
    var output: String
  }

  /// A failure of `spin`, the compiler or the program.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let name: String

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Models")

  var text: String {
    get throws { try String(contentsOf: Self.folder.appendingPathComponent(name + ".pml"), encoding: .utf8) }
  }

  /// The planted faults: the names and numbers of the list in the model.
  var mutants: [(name: String, number: Int)] {
    get throws {
      let lines = try text.split(separator: "\n").drop { !$0.hasPrefix("/* Planted faults.") }.dropFirst()
      return lines.prefix { $0.hasPrefix("#define") }.compactMap { line in
        let words = line.split(separator: " ")
        return Int(words[2]).map { (String(words[1]), $0) }
      }
    }
  }

  /// Visits all states up to the first error.
  /// - Parameter settings: options of the preprocessor, such as `-DRECORDS=3`.
  func check(_ settings: [String]) throws -> Result {
    let hasProperty = settings.contains("-DLIVENESS")
    return try run(settings, compiler: [hasProperty ? "-DNOREDUCE" : "-DSAFETY"], options: hasProperty ? ["-a"] : [], [:])
  }

  /// Follows traces. A trace that the model cannot follow to its end does not count as an error.
  func replay(_ traces: [ModelTrace], _ settings: [String]) throws -> Result {
    var (starts, rows) = ([0], [String]())
    for trace in traces {
      rows += trace.whole.map { "{" + $0.map(String.init).joined(separator: ",") + "}" }
      starts.append(rows.count)
    }
    let header = """
      #define TRACES \(traces.count)
      static const int starts[] = {\(starts.map(String.init).joined(separator: ","))};
      static const int events[][7] = {
      \(rows.joined(separator: ",\n"))
      };
      """
    // -E: a trace that the model cannot follow ends in a state without a successor.
    return try run(["-DTRACE"] + settings, compiler: ["-DSAFETY"], options: ["-E"], ["trace.h": header])
  }

  private func run(
    _ settings: [String], compiler: [String], options: [String], _ files: [String: String]
  ) throws -> Result {
    let spin = try #require(TestPart.spin.file, "\(TestPart.spin.reason)")
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    try text.write(to: place.appendingPathComponent("model.pml"), atomically: true, encoding: .utf8)
    for (name, text) in files { try text.write(to: place.appendingPathComponent(name), atomically: true, encoding: .utf8) }
    try Self.start([spin.path, "-a"] + settings + ["model.pml"], in: place)
    try Self.start(["/usr/bin/cc", "-O1", "-w", "-DVECTORSZ=8192", "-o", "pan", "pan.c"] + compiler, in: place)
    let output = try Self.start(["./pan", "-m1000000"] + options, in: place)
    guard let errors = Self.number(before: nil, after: "errors: ", in: output),
      let states = Self.number(before: " states, stored", after: nil, in: output), !output.contains("max search depth too small")
    else { throw Failure(description: "\(name) \(settings): \(output)") }
    let followed = output.split(separator: "\n").filter { $0.hasPrefix("trace ") }.compactMap { line in
      line.split(separator: " ").dropFirst(2).first.flatMap { Int($0) }
    }
    return Result(errors: errors, states: states, followed: followed, output: output)
  }

  /// Returns the number in a line before or after a text.
  private static func number(before end: String?, after start: String?, in output: String) -> Int? {
    for line in output.split(separator: "\n") {
      if let start, let range = line.range(of: start) { return Int(line[range.upperBound...].prefix { $0.isNumber }) }
      if let end, let range = line.range(of: end) { return Int(line[..<range.lowerBound].filter { $0.isNumber }) }
    }
    return nil
  }

  /// Runs a command to its end.
  /// - Returns: the output of the command.
  @discardableResult
  private static func start(_ command: [String], in place: URL) throws -> String {
    let log = place.appendingPathComponent("log")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    let file = try FileHandle(forWritingTo: log)
    let arguments = ["-c", "cd \"$0\" && exec \"$@\"", place.path] + command
    let status = try ChildProcess("/bin/bash", arguments, output: file.fileDescriptor, error: file.fileDescriptor).wait()
    try file.close()
    let output = try String(contentsOf: log, encoding: .utf8)
    guard status == 0 else { throw Failure(description: "\(command): status \(status)\n\(output)") }
    return output
  }
}
