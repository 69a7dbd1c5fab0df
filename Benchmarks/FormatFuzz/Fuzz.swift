import Foundation
import Synchronization

/// Damages seeds and reads them in worker processes.
struct Fuzz {
  struct FuzzError: Error, CustomStringConvertible { var description: String }

  private let decoders: [Decoder]
  private let seedFolder: String
  private let outputFolder: String
  private let seed: UInt64
  private let seeds: [String: [UInt8]]

  /// Seconds that a worker may take beyond its time, for one text of at most 128 KiB.
  private static let timeout = 20.0

  init(_ decoders: [Decoder], seeds folder: String, output: String, seed: UInt64) throws {
    self.decoders = decoders
    self.seed = seed
    (seedFolder, outputFolder) = (folder, output)
    var found: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasPrefix(".") {
      found[name] = FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
    }
    seeds = found
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
  }

  // MARK: The worker

  /// Reads damaged texts with one decoder for some time. Prints a fault to standard output: `fault FILE TEXT`.
  func work(seconds: Double) throws {
    guard let decoder = decoders.first else { return }
    let mine = seeds.filter { entry in decoder.seeds.contains { entry.key.hasPrefix($0) } }.sorted { $0.key < $1.key }.map(
      \.value)
    let all = seeds.sorted { $0.key < $1.key }.map(\.value)
    guard !mine.isEmpty else { throw FuzzError(description: "there is no seed for \(decoder.name)") }
    for text in mine {
      // A text that is not damaged must be read, without a fault.
      let fault: String?
      do { fault = try decoder.read(text) } catch {
        throw FuzzError(description: "\(decoder.name): a seed is rejected: \(error)")
      }
      if let fault { throw FuzzError(description: "\(decoder.name): a seed is read wrongly: \(fault)") }
    }
    let note = outputFolder + "/\(decoder.name).now"
    guard FileManager.default.createFile(atPath: note, contents: nil), let file = FileHandle(forWritingAtPath: note) else {
      throw FuzzError(description: "\(note) cannot be written")
    }
    var mutator = Mutator(seed: seed ^ UInt64(bitPattern: Int64(decoder.name.utf8.reduce(0) { $0 &* 31 &+ Int($1) })))
    // Texts that were read without an error are damaged further.
    var pool = mine
    let end = Date().addingTimeInterval(seconds)
    var count = 0
    while Date() < end {
      let origin = mutator.random(4) == 0 ? all[mutator.random(all.count)] : pool[mutator.random(pool.count)]
      let text = mutator.damaged(
        origin, with: mutator.random(2) == 0 ? all[mutator.random(all.count)] : pool[mutator.random(pool.count)])
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: text)
      count += 1
      do {
        if let fault = try decoder.read(text) {
          let kept = outputFolder + "/\(decoder.name)-\(count).txt"
          try Data(text).write(to: URL(fileURLWithPath: kept))
          print("fault \(kept) \(fault)")
          throw Stop()
        }
        if text.count < 1 << 14, mutator.random(20) == 0 {
          if pool.count < 200 { pool.append(text) } else { pool[mine.count + mutator.random(200 - mine.count)] = text }
        }
      } catch is Stop { break } catch {
        // The text was rejected, which is a correct result.
      }
    }
    try? FileManager.default.removeItem(atPath: note)
    print("texts \(count)")
  }

  private struct Stop: Error {}

  // MARK: The supervisor

  /// The results of one decoder.
  private struct CheckResult: Sendable {
    var texts = 0
    /// The faults, each with the file of its text if there is one.
    var faults: [(what: String, text: String?)] = []
  }

  /// Runs a worker process for each decoder, several at a time.
  /// - Returns: whether there was no fault.
  func supervise(seconds: Double, jobs: Int) throws -> Bool {
    let waiting = Mutex(decoders[...])
    let found = Mutex((texts: 0, isGood: true, failure: (any Error)?.none))
    DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, decoders.count))) { _ in
      while let decoder = waiting.withLock({ $0.popFirst() }) {
        do {
          let result = try watch(decoder, seconds: seconds)
          found.withLock { found in
            found.texts += result.texts
            if !result.faults.isEmpty { found.isGood = false }
            for fault in result.faults { report(decoder, fault.what, text: fault.text) }
          }
        } catch { found.withLock { $0.failure = error } }
      }
    }
    let (texts, isGood, failure) = found.withLock { $0 }
    if let failure { throw failure }
    print(
      "\(texts) damaged texts read by \(decoders.count) decoders, \(seconds.formatted()) s each, seed \(seed)\(isGood ? ": nothing wrong" : "")"
    )
    return isGood
  }

  private func watch(_ decoder: Decoder, seconds: Double) throws -> CheckResult {
    let (output, status, isStuck) = try run(decoder, seconds: seconds)
    var result = CheckResult()
    for line in output.split(separator: "\n") {
      if line.hasPrefix("texts ") { result.texts += Int(line.dropFirst(6)) ?? 0 }
      guard line.hasPrefix("fault ") else { continue }
      let parts = line.dropFirst(6).split(separator: " ", maxSplits: 1).map(String.init)
      result.faults.append((parts.last ?? "", parts.first))
    }
    guard status != 0 else { return result }
    let note = outputFolder + "/\(decoder.name).now"
    let kept = outputFolder + "/\(decoder.name)-\(isStuck ? "stuck" : "crash").txt"
    guard FileManager.default.fileExists(atPath: note) else {
      result.faults.append((output, nil))
      return result
    }
    try? FileManager.default.removeItem(atPath: kept)
    try FileManager.default.moveItem(atPath: note, toPath: kept)
    result.faults.append((isStuck ? "stands still" : "ended the program (status \(status))", kept))
    return result
  }

  private func report(_ decoder: Decoder, _ what: String, text: String?) {
    let again = text.map { "\n  once more: \(CommandLine.arguments[0]) --replay \(decoder.name) \($0)" }
    printError("\(decoder.name): \(what)\(again ?? "")")
  }

  private func run(_ decoder: Decoder, seconds: Double) throws -> (output: String, status: Int32, isStuck: Bool) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [
      "--work", "\(seconds)", "--only", decoder.name, "--seed", "\(seed)", "--seeds", seedFolder, "--output", outputFolder,
    ]
    let path = outputFolder + "/\(decoder.name).output"
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path) else {
      throw FuzzError(description: "\(path) cannot be written")
    }
    process.standardOutput = file
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    let isStuck = ended.wait(timeout: .now() + seconds + Self.timeout) == .timedOut
    if isStuck {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    let output = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    try? FileManager.default.removeItem(atPath: path)
    let isCrash = process.terminationReason == .uncaughtSignal || process.terminationStatus != 0
    return (output, isCrash ? max(1, process.terminationStatus) : 0, isStuck)
  }
}
