import Foundation

// Reads damaged texts with every decoder, and prints the texts for which a decoder crashes, does not end, or returns a result that
// cannot be written and read again.
//
//     FormatFuzz [--seconds N] [--jobs N] [--seed N] [--only NAME] [--seeds FOLDER] [--output FOLDER]
//     FormatFuzz --replay NAME FILE      reads one text
//
// --seconds is the time of each decoder (default: GODWIT_FUZZ_SECONDS of the environment, or 60). --jobs is the number of concurrent
// workers (default: the number of processors). Each decoder runs in a worker process, which writes each text to a file before it reads
// the text, so that the text is available if the worker crashes or hangs.

func printError(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

/// The options of the command line.
struct Words {
  private let words: [String]
  init(_ words: [String]) { self.words = words }
  func value(_ name: String) -> String? {
    words.firstIndex(of: name).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
  }
  func number(_ name: String) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text), number >= 0 else {
      printError("FormatFuzz: \(name) \(text) is not a number from 0 on")
      exit(2)
    }
    return number
  }
}

let words = Words(Array(CommandLine.arguments.dropFirst()))
let decoders = Decoder.all.filter { decoder in words.value("--only").map { $0 == decoder.name } ?? true }
guard !decoders.isEmpty else {
  printError("FormatFuzz: there is no such decoder; there are \(Decoder.all.map(\.name).joined(separator: ", "))")
  exit(2)
}

if let name = words.value("--replay") {
  guard let decoder = Decoder.all.first(where: { $0.name == name }), let file = CommandLine.arguments.last,
    let data = FileManager.default.contents(atPath: file)
  else {
    printError("FormatFuzz: --replay needs the name of a decoder and a file")
    exit(2)
  }
  do {
    if let fault = try decoder.read(Array(data)) {
      printError("\(name): \(fault)")
      exit(1)
    }
    print("\(name): read")
  } catch { print("\(name): refused: \(error)") }
  exit(0)
}

let seconds = words.number("--seconds") ?? ProcessInfo.processInfo.environment["GODWIT_FUZZ_SECONDS"].flatMap(Double.init) ?? 60
let jobs = words.number("--jobs").map { Int($0) } ?? ProcessInfo.processInfo.activeProcessorCount
let seed = UInt64(words.number("--seed") ?? 1)
let seedFolder = words.value("--seeds") ?? "Benchmarks/FormatFuzz/Seeds"
let outputFolder = words.value("--output") ?? ".build/fuzz"

do {
  let fuzz = try Fuzz(decoders, seeds: seedFolder, output: outputFolder, seed: seed)
  if let share = words.number("--work") {
    try fuzz.work(seconds: share)
    exit(0)
  }
  exit(try fuzz.supervise(seconds: seconds, jobs: jobs) ? 0 : 1)
} catch {
  printError("FormatFuzz: \(error)")
  exit(2)
}
