public import Foundation
internal import Godwit

/// The rides on disk: one folder with a GPX file, a page and the figures of each ride.
///
/// The positions of a ride in progress are in a file as well, one position per line, so that no position is lost if the program
/// is killed.
///
/// `@unchecked Sendable`: `lock` guards all mutable state.
public final class RideStore: @unchecked Sendable {
  public let folder: URL
  private let lock = NSLock()
  private var going: (id: String, file: FileHandle)?
  private var lastProblem: String?
  private var listener: @Sendable (Ride) -> Void = { _ in }

  /// - Parameter folder: created if it does not exist.
  public init(folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Sets the closure that receives each completed ride.
  public func onRide(_ report: @escaping @Sendable (Ride) -> Void) { lock.withLock { listener = report } }

  /// The last error of a write, as a sentence.
  public var problem: String? { lock.withLock { lastProblem } }

  /// The rides, newest first.
  public func rides() throws -> [Ride] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "ride" }
      .map { try JSONDecoder().decode(Ride.self, from: Data(contentsOf: $0)) }
      .sorted { $0.start > $1.start }
  }

  /// Returns the location of a ride's file of a kind, `gpx` or `html`.
  public func file(_ ride: Ride, _ kind: String) -> URL { folder.appendingPathComponent("\(ride.id).\(kind)") }

  /// Adds records of the tracker: saves the fixes of a trip, and completes the ride when its trip ends.
  func add(_ records: [Record]) {
    for record in records {
      do {
        switch record.kind {
        case .fix(let fix): if let trip = record.context.tripID { try save(fix, of: trip) }
        case .trip(let trip): try finish(trip)
        case .visit, .region, .action: break
        }
      } catch { lock.withLock { lastProblem = "A ride could not be written: \(error)" } }
    }
  }

  private func save(_ fix: Fix, of trip: String) throws {
    let line = try JSONEncoder().encode(fix) + Data("\n".utf8)
    try lock.withLock {
      if going?.id != trip {
        try going?.file.close()
        let url = beginning(of: trip)
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        let file = try FileHandle(forWritingTo: url)
        try file.seekToEnd()
        // A program that was killed may have left an incomplete line.
        if let last = try Data(contentsOf: url).last, last != UInt8(ascii: "\n") { try file.write(contentsOf: Data("\n".utf8)) }
        going = (trip, file)
      }
      do { try going?.file.write(contentsOf: line) } catch {
        // This line may be incomplete, so the next one opens the file again.
        going = nil
        throw error
      }
    }
  }

  private func finish(_ trip: Trip) throws {
    let url = beginning(of: trip.id)
    try lock.withLock {
      try going?.file.close()
      going = nil
    }
    // Without a file, the trip has no positions and is not a ride.
    let lines = (try? Data(contentsOf: url))?.split(separator: UInt8(ascii: "\n")) ?? []
    // Skips lines that are incomplete because the program was killed.
    let fixes = lines.compactMap { try? JSONDecoder().decode(Fix.self, from: Data($0)) }
    if let ride = Ride(trip, fixes: fixes) {
      try Data(ride.gpx).write(to: file(ride, "gpx"), options: .atomic)
      try Data(RidePage(ride).html.utf8).write(to: file(ride, "html"), options: .atomic)
      try JSONEncoder().encode(ride).write(to: file(ride, "ride"), options: .atomic)
      lock.withLock { listener }(ride)
    }
    try? FileManager.default.removeItem(at: url)
  }

  private func beginning(of trip: String) -> URL {
    folder.appendingPathComponent(trip.replacing(":", with: "-") + ".going")
  }
}
