package import Foundation
internal import GodwitText

/// A track file, read piece by piece: GPX, NMEA 0183 or GeoLife PLT. The format is detected from the content.
public final class TrackFile {
  /// The supported formats.
  public enum Format: String, Sendable {
    case gpx = "GPX"
    case nmea = "NMEA 0183"
    case plt = "GeoLife PLT"
  }

  public let path: String
  public let format: Format
  private let handle: FileHandle
  private var parser: any TrackParser
  private var head: [UInt8]?
  private var hasEnded = false

  /// Number of points read so far, and of those without a time.
  public private(set) var points = 0
  public private(set) var withoutTime = 0
  /// Number of parts skipped so far, and the first few of them.
  public var skipped: (count: Int, first: [TrackSkip]) { parser.skipped }

  private static let pieceSize = 256 << 10

  /// Opens a file and detects its format.
  /// - Parameters:
  ///   - path: Path of the file.
  ///   - readsWaypoints: Whether the waypoints of GPX are read as points.
  /// - Throws: The error of the file system, or ``TrackFileError`` for an empty file or an unknown format.
  public init(path: String, readsWaypoints: Bool = false) throws {
    self.path = path
    handle = try TrackFileError.opening(path)
    let head = [UInt8](try handle.read(upToCount: Self.pieceSize) ?? Data())
    self.head = head
    guard let (format, parser) = Self.parser(for: head, readsWaypoints) else {
      let shown = String(decoding: head.prefix(40), as: UTF8.self).debugDescription
      throw TrackFileError(
        path: path,
        reason: head.isEmpty
          ? "it is empty" : "it begins with \(shown), which is neither GPX nor NMEA 0183 nor GeoLife PLT")
    }
    (self.format, self.parser) = (format, parser)
  }

  /// Returns the next points, in the order of the file; `nil` at its end.
  /// - Throws: `FormatError`. The points before the error were returned by earlier calls.
  public func next() throws -> [TrackPoint]? {
    if let error = pending {
      pending = nil
      hasEnded = true
      throw error
    }
    while !hasEnded {
      var made: [TrackPoint] = []
      defer { _ = parser.takeSkips() }
      do {
        if let head {
          self.head = nil
          try head.withUnsafeBufferPointer { bytes throws(FormatError) in try parser.feed(bytes, into: &made) }
        } else {
          let piece = try handle.read(upToCount: Self.pieceSize) ?? Data()
          if piece.isEmpty {
            hasEnded = true
            try parser.finish(into: &made)
          } else {
            try [UInt8](piece).withUnsafeBufferPointer { bytes throws(FormatError) in
              try parser.feed(bytes, into: &made)
            }
          }
        }
      } catch {
        // Return the points before the error first, then throw the error.
        if made.isEmpty {
          hasEnded = true
          throw error
        }
        pending = error
      }
      if !made.isEmpty {
        points += made.count
        for point in made where point.time == nil { withoutTime += 1 }
        return made
      }
    }
    return nil
  }

  private var pending: (any Error)?

  private static func parser(for head: [UInt8], _ readsWaypoints: Bool) -> (Format, any TrackParser)? {
    if GPXParser.recognizes(head) { return (.gpx, GPXParser(readsWaypoints: readsWaypoints)) }
    if PLTParser.recognizes(head) { return (.plt, PLTParser()) }
    if NMEAParser.recognizes(head) { return (.nmea, NMEAParser()) }
    return nil
  }
}

/// An error of a file that is not a track or cannot be read.
public struct TrackFileError: Error, Sendable, CustomStringConvertible {
  public let path: String
  public let reason: String
  public var description: String { "\(path): \(reason)." }

  /// - Parameters:
  ///   - path: Path of the file.
  ///   - reason: A sentence without its full stop.
  package init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  /// Opens a file for reading.
  /// - Throws: The reason why the file cannot be read.
  package static func opening(_ path: String) throws(TrackFileError) -> FileHandle {
    if let handle = FileHandle(forReadingAtPath: path) { return handle }
    let exists = FileManager.default.fileExists(atPath: path)
    throw TrackFileError(
      path: path, reason: exists ? "it cannot be read; check its owner and permissions" : "there is no such file")
  }
}
