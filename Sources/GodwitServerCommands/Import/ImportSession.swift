internal import Foundation
internal import GodwitCommandLine
internal import GodwitFiles
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore
internal import GodwitText
internal import GodwitTracks
internal import GodwitTransfer

/// Imports files one after the other, and says how it goes.
///
/// `@unchecked Sendable`: it is used by one thread at a time: a command's task waits for the thread that works.
final class ImportSession: @unchecked Sendable {
  /// `nil`: nothing is stored.
  private let store: (any StoreDatabase)?
  private let terms: ImportTerms
  private let json: Bool
  private let skips: SkipFile?
  /// Files that were read to their end, and of which nothing could be used.
  private(set) var unusable = 0

  init(store: (any StoreDatabase)?, terms: ImportTerms, json: Bool, skips: SkipFile?) {
    self.store = store
    self.terms = terms
    self.json = json
    self.skips = skips
  }

  /// Imports a file and says what came of it.
  /// - Returns: whether it could be read to its end.
  func importFile(_ file: ImportedFiles.File) async -> Bool {
    await withCheckedContinuation { continuation in
      let thread = Thread { [self] in continuation.resume(returning: take(file)) }
      thread.name = "godwit-import"
      // XML and JSON may be nested.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func take(_ file: ImportedFiles.File) -> Bool {
    let line = ProgressLine(file.path)
    var last = ImportProgress(position: 0, tally: ImportReport())
    var problem: String?
    do {
      if file.path == "-" {
        let source = PipedRecords(FileHandle.standardInput, name: "standard input", options: terms.options)
        (last, problem) = try take(source, nil, file, line)
      } else if let pipe = try Self.pipe(file.path) {
        // What comes out of it comes once, so that there is nothing to go on with.
        let source = PipedRecords(pipe, name: file.path, options: terms.options)
        (last, problem) = try take(source, nil, file, line)
      } else if let store {
        let source = try ImportSource(path: file.path)
        let start = try ImportStart(source, terms: terms, into: store, at: Date())
        if start.isResumed {
          Output.note("\(file.path): continues after \(start.job.tally.records.grouped) records.")
        }
        line.size = source.size
        do {
          (last, problem) = try take(start.file, start.job, file, line)
        } catch let error as TrackFileError {
          // It is no track at all, and nothing can be gone on with.
          try start.end(last, problem: "\(error)", in: store, at: Date())
          throw error
        }
        problem = try problem ?? Self.change(of: source)
        try start.end(last, problem: problem, in: store, at: Date())
      } else {
        let before = try ImportSource(path: file.path)
        let source = try RecordSources.open(file.path, options: terms.options)
        line.size = before.size
        (last, problem) = try take(source, nil, file, line)
        problem = try problem ?? Self.change(of: before)
      }
    } catch let error as TrackFileError where file.isFound {
      line.end()
      // In a folder of tracks there may be pictures as well.
      Output.note("\(file.path): skipped: \(error.reason).")
      return true
    } catch {
      problem = "\(error)"
    }
    line.end()
    if problem == nil, !last.tally.isUsable { unusable += 1 }
    say(file.path, last.tally, problem)
    return problem == nil
  }

  /// A named pipe or a device, which can be read once; `nil`: it is none.
  private static func pipe(_ path: String) throws -> FileHandle? {
    let kind = try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type]
    guard let kind = kind as? FileAttributeType, kind != .typeRegular, kind != .typeDirectory else { return nil }
    return try TrackFileError.opening(path)
  }

  /// What is wrong where a file is another one than before it was read; `nil`: nothing.
  private static func change(of source: ImportSource) throws -> String? {
    try source.isUnchanged() ? nil : "\(source.name): the file changed while it was read; run the same command again."
  }

  /// - Returns: what became of it, and what is wrong with the file.
  private func take(
    _ source: any RecordSource, _ job: ImportJob?, _ file: ImportedFiles.File, _ line: ProgressLine
  ) throws -> (ImportProgress, String?) {
    let reported = skips
    var failure: (any Error)?
    func report(_ skip: TrackSkip) {
      do { try reported?.add(skip, of: file.path) } catch { if failure == nil { failure = error } }
    }
    guard let store else {
      let count = DryCount(source, terms: terms)
      count.onSkip = report
      let shown = line
      count.onProgress = { shown.show($0) }
      let problem = try count.run()
      if let failure { throw failure }
      return (count.progress, problem)
    }
    let work = FileImport(into: store, job: job, terms: terms, source: source)
    if skips != nil { work.onSkip = report }
    let shown = line
    work.onProgress = { shown.show($0) }
    var problem: String?
    do { _ = try work.run() } catch let error as FormatError { problem = "\(file.path): \(error)." }
    if let failure { throw failure }
    return (work.current, problem)
  }

  // MARK: What is said

  private func say(_ path: String, _ tally: ImportReport, _ problem: String?) {
    if json { return Output.result(Self.object(path, tally, problem, isDry: store == nil)) }
    if let problem { Output.note(problem.hasPrefix(path) ? problem : "\(path): \(problem)") }
    guard problem == nil || tally.records > 0 else { return }
    if problem == nil, !tally.isUsable {
      Output.note("\(path): \(tally.format.map { "\($0), " } ?? "")\(tally.nothingUsable).")
      return printReasons(tally)
    }
    var parts: [String] = []
    if store == nil {
      parts.append("\(tally.records.grouped) records")
    } else {
      parts.append("\(tally.saved.grouped) new points")
      if tally.duplicates > 0 { parts.append("\(tally.duplicates.grouped) duplicates") }
    }
    if tally.withoutTime > 0 { parts.append("\(tally.withoutTime.grouped) skipped without a time") }
    if let unused = tally.unused {
      if unused.waypoints > 0 { parts.append("\(unused.waypoints.grouped) waypoints skipped") }
      if unused.routePoints > 0 { parts.append("\(unused.routePoints.grouped) points of routes skipped") }
    }
    if tally.unmapped > 0 { parts.append("\(tally.unmapped.grouped) from unmapped devices") }
    if tally.skipped > 0 { parts.append("\(tally.skipped.grouped) parts skipped") }
    Output.result("\(path): \(tally.format.map { "\($0), " } ?? "")\(parts.joined(separator: ", ")).\n")
    printReasons(tally)
  }

  private func printReasons(_ tally: ImportReport) {
    for reason in tally.reasons.sorted(by: { $0.count > $1.count }) {
      let first = reason.first.first.map { " (first at \($0.place): \($0.reason))" } ?? ""
      Output.note("  \(reason.count.grouped) × \(reason.kind)\(first)")
    }
    let named = tally.devices.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }
    if store == nil || tally.unmapped > 0 {
      for (name, count) in named { Output.note("  \(count.grouped) records of the name \(name.debugDescription)") }
    }
  }

  private static func object(_ path: String, _ tally: ImportReport, _ problem: String?, isDry: Bool) -> [UInt8] {
    var object: [String: Any] = [
      "file": path, "records": tally.records, "without_time": tally.withoutTime, "skipped": tally.skipped,
      "unmapped": tally.unmapped, "devices": tally.devices, "waypoints": tally.unused?.waypoints ?? 0,
      "route_points": tally.unused?.routePoints ?? 0, "state": tally.endState(problem: problem).rawValue,
      "reasons": tally.reasons.map { reason -> [String: Any] in
        [
          "kind": reason.kind, "count": reason.count,
          "first": reason.first.map { ["place": $0.place.description, "reason": $0.reason] },
        ]
      },
    ]
    if let format = tally.format { object["format"] = format }
    if let problem { object["problem"] = problem }
    if isDry { object["dry_run"] = true } else { (object["saved"], object["duplicates"]) = (tally.saved, tally.duplicates) }
    let text = (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
    return Array(text) + [0x0A]
  }
}

/// Reads a file and stores nothing.
final class DryCount {
  private let source: any RecordSource
  private let terms: ImportTerms
  private(set) var progress = ImportProgress(position: 0, tally: ImportReport())
  var onSkip: ((TrackSkip) -> Void)?
  var onProgress: ((ImportProgress) -> Void)?

  init(_ source: any RecordSource, terms: ImportTerms) {
    self.source = source
    self.terms = terms
  }

  /// - Returns: what is wrong with the file.
  func run() throws -> String? {
    source.onSkip = { [unowned self] skip in
      progress.tally.note(skip)
      onSkip?(skip)
    }
    defer { source.onSkip = nil }
    var problem: String?
    do {
      while let records = try source.next() {
        progress.tally.count(records, terms)
        update()
        onProgress?(progress)
      }
    } catch let error as FormatError { problem = "\(error)." }
    update()
    return problem
  }

  private func update() {
    progress.position = source.position
    progress.tally.format = source.format?.name
    progress.tally.records = source.records
    progress.tally.withoutTime = source.withoutTime
    progress.tally.unused = source.unused
  }
}

/// `phone.json: 42 %, 1,234,567 points, 310,000 a second, 1:20 left`, over and over on a terminal.
final class ProgressLine {
  private let path: String
  private let began = ContinuousClock.now
  private var shown: ContinuousClock.Instant?
  private var first: (position: Int, records: Int)?
  /// Bytes of the file; `nil`: nobody knows.
  var size: Int?

  init(_ path: String) { self.path = path }

  /// Shows how far it is; a few times a second at most.
  func show(_ progress: ImportProgress) {
    let now = ContinuousClock.now
    if first == nil { first = (progress.position, progress.tally.records) }
    if let shown, shown.duration(to: now) < .milliseconds(200) { return }
    guard Output.isTerminal, let first else { return }
    shown = now
    let seconds = max(began.duration(to: now) / .seconds(1), 0.001)
    var parts: [String] = []
    if let size, size > 0 { parts.append("\(progress.position * 100 / size) %") }
    parts.append("\(progress.tally.records.grouped) points")
    parts.append("\(Int(Double(progress.tally.records - first.records) / seconds).grouped) a second")
    let read = progress.position - first.position
    if let size, read > 0, seconds > 1 {
      let left = Int(Double(size - progress.position) / Double(read) * seconds)
      parts.append("\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left")
    }
    Output.progress("\(path): " + parts.joined(separator: ", "))
  }

  /// The last of it.
  func end() { if shown != nil { Output.endProgress() } }
}

extension Int {
  /// With commas between thousands.
  var grouped: String {
    var text = ""
    let digits = String(magnitude)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return self < 0 ? "-" + text : text
  }
}
