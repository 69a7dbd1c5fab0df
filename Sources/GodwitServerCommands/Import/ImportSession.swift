internal import Foundation
internal import GodwitCommandLine
internal import GodwitFiles
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitText
internal import GodwitTracks
internal import GodwitTransfer

/// Imports files one after the other, and reports the progress and the result.
///
/// `@unchecked Sendable` because only one thread at a time uses it: the task of the command waits for the thread of the import.
final class ImportSession: @unchecked Sendable {
  /// `nil` if nothing is stored.
  private let store: (any StoreDatabase)?
  private let options: ImportOptions
  private let json: Bool
  private let skips: SkipFile?
  /// The number of files that were read to their end and had no usable records.
  private(set) var unusable = 0

  init(store: (any StoreDatabase)?, options: ImportOptions, json: Bool, skips: SkipFile?) {
    self.store = store
    self.options = options
    self.json = json
    self.skips = skips
  }

  /// Imports a file and prints the result.
  /// - Returns: `false` if the file could not be read to its end.
  func importFile(_ file: ImportedFiles.File) async -> Bool {
    await withCheckedContinuation { continuation in
      let thread = Thread { [self] in continuation.resume(returning: handle(file)) }
      thread.name = "godwit-import"
      // The stack is large because XML and JSON may be nested deeply.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func handle(_ file: ImportedFiles.File) -> Bool {
    let line = ProgressLine(file.path)
    var last = ImportProgress(position: 0, report: ImportReport())
    var problem: String?
    do {
      if file.path == "-" {
        let source = PipedRecords(FileHandle.standardInput, name: "standard input", options: options.options)
        (last, problem) = try handle(source, nil, file, line)
      } else if let pipe = try Self.pipe(file.path) {
        // A pipe can be read only once, so that an interrupted import cannot be continued.
        let source = PipedRecords(pipe, name: file.path, options: options.options)
        (last, problem) = try handle(source, nil, file, line)
      } else if let store {
        let source = try ImportSource(path: file.path)
        let start = try ImportStart(source, options: options, into: store, at: Date())
        if start.isResumed {
          Output.log("\(file.path): continues after \(start.job.report.records.counted("record")).")
        }
        line.size = source.size
        do {
          (last, problem) = try handle(start.file, start.job, file, line)
        } catch let error as TrackFileError {
          // The file is not a track, so that the import cannot be continued.
          try start.end(last, problem: "\(error)", in: store, at: Date())
          throw error
        }
        problem = try problem ?? Self.change(of: source)
        try start.end(last, problem: problem, in: store, at: Date())
      } else {
        let before = try ImportSource(path: file.path)
        let source = try RecordSources.open(file.path, options: options.options)
        line.size = before.size
        (last, problem) = try handle(source, nil, file, line)
        problem = try problem ?? Self.change(of: before)
      }
    } catch let error as TrackFileError where file.isFound {
      line.end()
      // A folder of tracks may also contain other files, such as pictures.
      Output.log("\(file.path): skipped: \(error.reason).")
      return true
    } catch {
      problem = "\(error)"
    }
    line.end()
    if problem == nil, !last.report.isUsable { unusable += 1 }
    report(file.path, last.report, problem)
    return problem == nil
  }

  /// Opens a named pipe or a device, which can be read only once; returns `nil` for other files.
  private static func pipe(_ path: String) throws -> FileHandle? {
    let kind = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type]
    guard let kind = kind as? FileAttributeType, kind != .typeRegular, kind != .typeDirectory else { return nil }
    return try TrackFileError.opening(path)
  }

  /// Returns an error message if the file changed since it was opened; otherwise `nil`.
  private static func change(of source: ImportSource) throws -> String? {
    try source.isUnchanged() ? nil : "\(source.name): the file changed while it was read; run the same command again."
  }

  /// Reads all records of a source.
  /// - Returns: the progress at the end, and the error of the file, if there is one.
  private func handle(
    _ source: any RecordSource, _ job: ImportJob?, _ file: ImportedFiles.File, _ line: ProgressLine
  ) throws -> (ImportProgress, String?) {
    let reported = skips
    var failure: (any Error)?
    func report(_ skip: TrackSkip) {
      do { try reported?.add(skip, of: file.path) } catch { if failure == nil { failure = error } }
    }
    guard let store else {
      let count = DryCount(source, options: options)
      count.onSkip = report
      let shown = line
      count.onProgress = { shown.show($0) }
      let problem = try count.run()
      if let failure { throw failure }
      return (count.progress, problem)
    }
    let work = FileImport(into: store, job: job, options: options, source: source)
    if skips != nil { work.onSkip = report }
    let shown = line
    work.onProgress = { shown.show($0) }
    var problem: String?
    do { _ = try work.run() } catch let error as FormatError { problem = "\(file.path): \(error)." }
    if let failure { throw failure }
    return (work.current, problem)
  }

  // MARK: Output

  private func report(_ path: String, _ report: ImportReport, _ problem: String?) {
    if json { return Output.result(Self.object(path, report, problem, isDry: store == nil)) }
    if let problem { Output.log(problem.hasPrefix(path) ? problem : "\(path): \(problem)") }
    guard problem == nil || report.records > 0 else { return }
    if problem == nil, !report.isUsable {
      Output.log("\(path): \(report.format.map { "\($0), " } ?? "")\(report.nothingUsable).")
      return printReasons(report)
    }
    var parts: [String] = []
    if store == nil {
      parts.append(report.records.counted("record"))
    } else {
      parts.append(report.saved.counted("new point"))
      if report.duplicates > 0 { parts.append(report.duplicates.counted("duplicate")) }
    }
    if report.withoutTime > 0 { parts.append("\(report.withoutTime.grouped) skipped without a time") }
    if let unused = report.unused {
      if unused.waypoints > 0 { parts.append("\(unused.waypoints.counted("waypoint")) skipped") }
      if unused.routePoints > 0 { parts.append("\(unused.routePoints.counted("point")) of routes skipped") }
    }
    if report.unmapped > 0 { parts.append("\(report.unmapped.grouped) from unmapped devices") }
    if report.skipped > 0 { parts.append("\(report.skipped.counted("part")) skipped") }
    Output.result("\(path): \(report.format.map { "\($0), " } ?? "")\(parts.joined(separator: ", ")).\n")
    printReasons(report)
  }

  private func printReasons(_ report: ImportReport) {
    for reason in report.reasons.sorted(by: { $0.count > $1.count }) {
      let first = reason.first.first.map { " (first at \($0.place): \($0.reason))" } ?? ""
      Output.log("  \(reason.count.grouped) × \(reason.kind)\(first)")
    }
    let named = report.devices.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }
    if store == nil || report.unmapped > 0 {
      for (name, count) in named { Output.log("  \(count.counted("record")) of the name \(name.debugDescription)") }
    }
  }

  private static func object(_ path: String, _ report: ImportReport, _ problem: String?, isDry: Bool) -> [UInt8] {
    var object: [String: Any] = [
      "file": path, "records": report.records, "without_time": report.withoutTime, "skipped": report.skipped,
      "unmapped": report.unmapped, "devices": report.devices, "waypoints": report.unused?.waypoints ?? 0,
      "route_points": report.unused?.routePoints ?? 0, "state": report.endState(problem: problem).rawValue,
      "reasons": report.reasons.map { reason -> [String: Any] in
        [
          "kind": reason.kind, "count": reason.count,
          "first": reason.first.map { ["place": $0.place.description, "reason": $0.reason] },
        ]
      },
    ]
    if let format = report.format { object["format"] = format }
    if let problem { object["problem"] = problem }
    if isDry { object["dry_run"] = true } else { (object["saved"], object["duplicates"]) = (report.saved, report.duplicates) }
    let text = (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
    return Array(text) + [0x0A]
  }
}

/// Reads a file without storing its records.
final class DryCount {
  private let source: any RecordSource
  private let options: ImportOptions
  private(set) var progress = ImportProgress(position: 0, report: ImportReport())
  var onSkip: ((TrackSkip) -> Void)?
  var onProgress: ((ImportProgress) -> Void)?

  init(_ source: any RecordSource, options: ImportOptions) {
    self.source = source
    self.options = options
  }

  /// Reads the file to its end.
  /// - Returns: the error of the file; `nil` if there is none.
  func run() throws -> String? {
    source.onSkip = { [unowned self] skip in
      progress.report.count(skip)
      onSkip?(skip)
    }
    defer { source.onSkip = nil }
    var problem: String?
    do {
      while let records = try source.next() {
        progress.report.count(records, options)
        update()
        onProgress?(progress)
      }
    } catch let error as FormatError { problem = "\(error)." }
    update()
    return problem
  }

  private func update() {
    progress.position = source.position
    progress.report.format = source.format?.name
    progress.report.records = source.records
    progress.report.withoutTime = source.withoutTime
    progress.report.unused = source.unused
  }
}

/// A line of progress on a terminal that is updated in place: `phone.json: 42 %, 1,234,567 points, 310,000 a second, 1:20 left`.
final class ProgressLine {
  private let path: String
  private let began = ContinuousClock.now
  private var shown: ContinuousClock.Instant?
  private var first: (position: Int, records: Int)?
  /// The size of the file in bytes; `nil` if unknown.
  var size: Int?

  init(_ path: String) { self.path = path }

  /// Shows the progress, at most five times a second.
  func show(_ progress: ImportProgress) {
    let now = ContinuousClock.now
    if first == nil { first = (progress.position, progress.report.records) }
    if let shown, shown.duration(to: now) < .milliseconds(200) { return }
    guard Output.isTerminal, let first else { return }
    shown = now
    let seconds = max(began.duration(to: now) / .seconds(1), 0.001)
    var parts: [String] = []
    if let size, size > 0 { parts.append("\(progress.position * 100 / size) %") }
    parts.append(progress.report.records.counted("point"))
    parts.append("\(Int(Double(progress.report.records - first.records) / seconds).grouped) a second")
    let read = progress.position - first.position
    if let size, read > 0, seconds > 1 {
      let left = Int(Double(size - progress.position) / Double(read) * seconds)
      parts.append("\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left")
    }
    Output.progress("\(path): " + parts.joined(separator: ", "))
  }

  /// Ends the line.
  func end() { if shown != nil { Output.endProgress() } }
}
