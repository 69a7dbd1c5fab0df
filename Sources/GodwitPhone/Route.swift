internal import Foundation
public import GodwitModel
public import GodwitSimulator
internal import GodwitTracks

/// A route of a device on one or more days, with which a policy is tested.
public struct Route: Sendable {
  /// A day from midnight to midnight of the local solar time, rounded to whole hours.
  public struct Day: Sendable, Hashable {
    /// The date, for example "2008-10-24".
    public var name: String
    public var start: SimulatedTime
    public var end: SimulatedTime
  }

  /// The name: that of the folder, for example "001", or of the file without its extension.
  public private(set) var name: String
  public let truth: Truth
  /// The days on which something was recorded, in order.
  public let days: [Day]

  /// - Parameters:
  ///   - name: the name of the route in reports.
  ///   - tracks: recorded tracks in any order.
  /// - Throws: `TruthError` if there is no position with a time.
  public init(name: String, tracks: [[Fix]]) throws {
    self.name = name
    truth = try Truth(days: tracks)
    let place = tracks.lazy.compactMap(\.first).first?.coordinate.longitude ?? 0
    // The solar time at the first position, rounded to whole hours.
    let offset = (place / 15).rounded() * 3_600
    var numbers: Set<Int> = []
    for track in tracks {
      for fix in track { numbers.insert(Int(((fix.time.timeIntervalSince1970 + offset) / DayLength.seconds).rounded(.down))) }
    }
    days = numbers.sorted().map { number in
      let midnight = Date(timeIntervalSince1970: Double(number) * DayLength.seconds)
      let start = SimulatedTime(midnight) - offset
      return Day(name: String(RFC3339.string(midnight).prefix("2008-10-24".count)), start: start, end: start + DayLength.seconds)
    }
  }

  /// Reads a file, or all tracks in a folder and its subfolders as one route.
  /// - Throws: an error that names the file that cannot be read and what to do.
  public init(path: String) throws {
    let url = URL(fileURLWithPath: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw RouteError(description: "\(path): there is no such file or folder; use a track (GPX, PLT) or a folder of tracks")
    }
    guard isFolder.boolValue else {
      try self.init(name: url.deletingPathExtension().lastPathComponent, tracks: [Self.fixes(path)])
      return
    }
    // The enumerator does not follow a link to a folder.
    let folder = url.resolvingSymlinksInPath()
    let found = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    let files = found.filter { ["gpx", "plt", "nmea"].contains(($0 as NSString).pathExtension.lowercased()) }.sorted()
    guard !files.isEmpty else {
      throw RouteError(description: "\(path): there is no track in this folder; expected .gpx, .plt or .nmea files")
    }
    try self.init(
      name: url.standardizedFileURL.lastPathComponent,
      tracks: files.map { try Self.fixes(folder.appendingPathComponent($0).path) })
  }

  /// Reads several routes. Routes with the same name get as many parent folders in their names as distinguish them, for example
  /// "003/Trajectory".
  /// - Throws: the errors of ``init(path:)``.
  public static func reading(_ paths: [String]) throws -> [Route] {
    var routes = try paths.map { try Route(path: $0) }
    let parents = paths.map { Array(URL(fileURLWithPath: $0).standardizedFileURL.pathComponents.dropLast().dropFirst()) }
    for depth in 1...max(1, parents.map(\.count).max() ?? 1) {
      let counts = Dictionary(grouping: routes.indices) { routes[$0].name }
      let equal = counts.values.filter { $0.count > 1 }.joined()
      if equal.isEmpty { break }
      for index in equal where depth <= parents[index].count {
        routes[index].name = parents[index][parents[index].count - depth] + "/" + routes[index].name
      }
    }
    // The same path was passed more than once.
    var seen: [String: Int] = [:]
    for index in routes.indices {
      let count = seen[routes[index].name, default: 0] + 1
      seen[routes[index].name] = count
      if count > 1 { routes[index].name += " (\(count))" }
    }
    return routes
  }

  private static func fixes(_ path: String) throws -> [Fix] {
    let file = try TrackFile(path: path)
    var fixes: [Fix] = []
    while let points = try file.next() { fixes += points.compactMap(\.fix) }
    guard !fixes.isEmpty else {
      throw RouteError(description: "\(path): it has no position with a time; a simulation needs times")
    }
    return fixes
  }
}

/// The reason why a route cannot be used.
public struct RouteError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}
