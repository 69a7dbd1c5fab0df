internal import Foundation
internal import GodwitFormats
public import GodwitModel
public import GodwitSimulator

/// The way of somebody through one or more days, that a policy is tried out on.
public struct Route: Sendable {
  /// A day from midnight to midnight by the sun.
  public struct Day: Sendable, Hashable {
    /// "2008-10-24".
    public var name: String
    public var start: SimulatedTime
    public var end: SimulatedTime
  }

  /// "001", or the name of the file without its ending.
  public let name: String
  public let truth: Truth
  /// The days on which something was recorded, in order.
  public let days: [Day]

  /// - Parameters:
  ///   - name: names it in reports.
  ///   - tracks: recorded tracks in any order.
  /// - Throws: `TruthError` when there is no position with a time.
  public init(name: String, tracks: [[Fix]]) throws {
    self.name = name
    truth = try Truth(days: tracks)
    let place = tracks.lazy.compactMap(\.first).first?.coordinate.longitude ?? 0
    // The sun's time, in whole hours as clocks have it.
    let offset = (place / 15).rounded() * 3_600
    var numbers: Set<Int> = []
    for track in tracks {
      for fix in track { numbers.insert(Int(((fix.time.timeIntervalSince1970 + offset) / 86_400).rounded(.down))) }
    }
    days = numbers.sorted().map { number in
      let start = Double(number) * 86_400 - offset
      let time = SimulatedTime(Date(timeIntervalSince1970: start))
      return Day(name: CivilDate(daysSince1970: number).text, start: time, end: time + 86_400)
    }
  }

  /// Reads a file, or every track in a folder and the folders in it as the way of one person.
  /// - Throws: with the file that cannot be read and what to do.
  public init(path: String) throws {
    let url = URL(fileURLWithPath: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw RouteError(description: "\(path): there is no such file or folder; name a track (GPX, PLT) or a folder of them")
    }
    guard isFolder.boolValue else {
      try self.init(name: url.deletingPathExtension().lastPathComponent, tracks: [Self.fixes(path)])
      return
    }
    let found = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    let files = found.filter { ["gpx", "plt", "nmea"].contains(($0 as NSString).pathExtension.lowercased()) }.sorted()
    guard !files.isEmpty else {
      throw RouteError(description: "\(path): there is no track in this folder; it should hold files .gpx, .plt or .nmea")
    }
    try self.init(
      name: url.standardizedFileURL.lastPathComponent,
      tracks: files.map { try Self.fixes(url.appendingPathComponent($0).path) })
  }

  private static func fixes(_ path: String) throws -> [Fix] {
    let file = try TrackFile(path: path)
    var fixes: [Fix] = []
    while let points = try file.next() { fixes += points.compactMap(\.fix) }
    guard !fixes.isEmpty else {
      throw RouteError(description: "\(path): there is no position with a time in it; a simulation needs times")
    }
    return fixes
  }
}

/// Why a way cannot be used.
public struct RouteError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}

/// A day of the calendar, which is the same in all the world's computers.
struct CivilDate {
  var text: String

  init(daysSince1970 number: Int) {
    // Days from civil: eras of 400 years that begin in March.
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let part = (5 * dayOfYear + 2) / 153
    let month = part < 10 ? part + 3 : part - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let day = dayOfYear - (153 * part + 2) / 5 + 1
    text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
  }
}
