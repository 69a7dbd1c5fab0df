import Foundation

// Parts of this program that run in separate processes.
switch CommandLine.arguments.dropFirst().first {
case "sink": try Sink.serve()
#if os(Linux)
  case "phone-child":
    try PhoneBenchmarks.child(CommandLine.arguments.last ?? "")
    exit(0)
#endif
default: break
}

// Names on the command line select measurements.
let chosen = Set(CommandLine.arguments.dropFirst())
let unknown = chosen.subtracting(BenchmarkName.allCases.map(\.rawValue)).sorted()
if !unknown.isEmpty {
  let names = BenchmarkName.allCases.map(\.rawValue).joined(separator: ", ")
  FileHandle.standardError.write(
    Data("Benchmarks: nothing is named \(unknown.joined(separator: ", ")); the names are \(names)\n".utf8))
  exit(2)
}
@MainActor func isChosen(_ name: BenchmarkName) -> Bool { chosen.isEmpty || chosen.contains(name.rawValue) }

// Runs the measurements, prints a table, and writes .build/benchmarks.json. The folder is on the disk of the checkout, because durable
// writes would be too fast on a disk in memory.
let folder = URL(fileURLWithPath: "../.build/benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

// The speed of the machine is measured first, under the same load as the measurements.
let speed = try MachineSpeed.measure(in: folder)
FileHandle.standardError.write(Data("  machine: \(speed)\n".utf8))

var results: [Measurement] = []
@MainActor func add(_ new: [Measurement]) {
  results += new
  for result in new { FileHandle.standardError.write(Data("  \(result.name): \(formatted(result.value)) \(result.unit)\n".utf8)) }
}

func formatted(_ value: Double) -> String {
  value >= 1000 ? Int(value).formatted(.number.locale(Locale(identifier: "en_US"))) : String(format: "%.2f", value)
}

do {
  if isChosen(.gpx) || isChosen(.track) { add([try FormatBenchmarks.gpx(in: folder)]) }
  if isChosen(.google) { add([try FormatBenchmarks.googleRecords(in: folder)]) }
  if isChosen(.imports) { add(try ImportBenchmarks.all(in: folder)) }
  if isChosen(.overland) { add([try FormatBenchmarks.overland()]) }
  if isChosen(.writers) { add(try WriterBenchmarks.all()) }
  if isChosen(.analysis) { add(AnalysisBenchmarks.all()) }
  if isChosen(.regions) { add(try RegionBenchmarks.all()) }
  if isChosen(.plan) { add(RegionPlanBenchmarks.all()) }
  if isChosen(.evaluation) { add(try EvaluationBenchmarks.all()) }
  if isChosen(.sync) { add(try SyncBenchmark.measure(in: folder)) }
  if isChosen(.journal) { add([try JournalBenchmark.measure(in: folder)]) }
  if isChosen(.device) { add(try DeviceBenchmarks.measure(in: folder)) }
  if isChosen(.world) { add(try WorldBenchmarks.all()) }
  if isChosen(.places) { add(try PlaceBenchmarks.measure()) }
  #if os(Linux)
    if isChosen(.phone) { add(try PhoneBenchmarks.measure()) }
    if isChosen(.fences) { add(try FenceBenchmarks.measure()) }
  #endif
  if isChosen(.history) { add(try await HistoryBenchmark.measure(in: folder)) }
  if isChosen(.tiles) { add(try await TileBenchmark.measure(in: folder)) }
  if isChosen(.pages) { add(try await PageBenchmarks.measure(in: folder)) }
  if isChosen(.server) { add(try ServerBenchmarks.load(in: folder)) }
  if isChosen(.geofences) { add(try GeofenceLoad.all(in: folder)) }
  if isChosen(.attack) { add(try ServerBenchmarks.attack(in: folder)) }
  if isChosen(.postgres) { add(try PostgresBenchmarks.load(in: folder)) }
  if isChosen(.track) { add([try ServerBenchmarks.track(in: folder)]) }
} catch {
  // The servers have ended with their objects.
  FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
  try? FileManager.default.removeItem(at: folder)
  exit(1)
}

let encoder = JSONEncoder()
encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
try encoder.encode(Report(machine: speed, results: results)).write(to: URL(fileURLWithPath: "../.build/benchmarks.json"))

print("Measured on \(machine), \(Date().ISO8601Format().prefix(10)); \(speed).\n")
print("| | measured | goal | goal on this machine | compared to |\n|---|---|---|---|---|")
for result in results {
  func bounded(_ goal: Double?) -> String { goal.map { "\(result.lowerIsBetter ? "≤" : "≥") \(formatted($0))" } ?? "" }
  let status = result.reachesGoal(on: speed) == false ? " ✗" : ""
  let ratio = result.ratio.map { " (× \(String(format: "%.1f", $0)))" } ?? ""
  print(
    "| \(result.name) | \(formatted(result.value)) \(result.unit)\(status) | \(bounded(result.goal)) | "
      + "\(bounded(result.goal(on: speed))) | \((result.comparedTo ?? "") + ratio) |")
}

/// The contents of .build/benchmarks.json.
struct Report: Codable {
  var machine: MachineSpeed
  var results: [Measurement]
}

/// The names of the measurements on the command line.
enum BenchmarkName: String, CaseIterable {
  case gpx, google
  case imports = "import"
  case overland, writers, analysis, regions, plan, evaluation, geofences, sync, journal, device, world, places
  #if os(Linux)
    case phone, fences
  #endif
  case history, tiles, pages, server, attack, postgres
  /// Replays the file of `gpx`.
  case track
}
