internal import Foundation
internal import Godwit

/// A ride as a page without external resources: its figures, and its path, coloured by speed.
public struct RidePage: Sendable {
  private let ride: Ride

  public init(_ ride: Ride) { self.ride = ride }

  /// The width and height of the drawing, in its own units.
  private static let size = 1000.0
  private static let margin = 30.0
  /// Speeds in metres per second, each with the colour of lower speeds.
  private static let colours = [(2.5, "#4575b4"), (4.5, "#74add1"), (6.5, "#fdae61"), (8.5, "#f46d43"), (.infinity, "#d73027")]

  public var html: String {
    let points = drawn
    let title = "Ride of \(ride.start.formatted(.iso8601))"
    return """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title)</title>
      <style>
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
          color-scheme: light dark; }
        dl { display: flex; flex-wrap: wrap; gap: 1rem 3rem; } dt { opacity: .7 } dd { margin: 0; font-size: 1.5rem }
        svg { width: 100%; height: auto; } line { stroke-width: 5; stroke-linecap: round }
      </style>
      <h1>\(title)</h1>
      <dl>
        <div><dt>Distance</dt><dd>\(Ride.decimal(ride.distance / 1000)) km</dd></div>
        <div><dt>Duration</dt><dd>\(Int((ride.duration / 60).rounded())) min</dd></div>
        <div><dt>Average</dt><dd>\(Ride.decimal(ride.averageSpeed * 3.6)) km/h</dd></div>
        <div><dt>Fastest</dt><dd>\(Ride.decimal(ride.topSpeed * 3.6)) km/h</dd></div>
      </dl>
      <svg viewBox="0 0 \(Self.number(Self.size)) \(Self.number(Self.size))" role="img" aria-label="\(ride.summary)">
      \(lines(points))
      \(ends(points))
      </svg>
      <p>Blue is slow, red is fast. North is up.</p>
      </html>

      """
  }

  private struct Point {
    var x: Double
    var y: Double
  }

  /// The track in the coordinates of the drawing. Longitudes are scaled by the cosine of the latitude, so that the shape is right.
  private var drawn: [Point] {
    let latitudes = ride.fixes.map(\.coordinate.latitude)
    guard let south = latitudes.min(), let north = latitudes.max() else { return [] }
    let narrowing = cos((south + north) / 2 * .pi / 180)
    let longitudes = ride.fixes.map { $0.coordinate.longitude * narrowing }
    guard let west = longitudes.min(), let east = longitudes.max() else { return [] }
    let extent = max(north - south, east - west, 1e-6)
    let scale = (Self.size - 2 * Self.margin) / extent
    return zip(latitudes, longitudes).map { latitude, longitude in
      Point(
        x: Self.size / 2 + (longitude - (west + east) / 2) * scale,
        y: Self.size / 2 - (latitude - (south + north) / 2) * scale)
    }
  }

  private func lines(_ points: [Point]) -> String {
    zip(zip(points, points.dropFirst()), zip(ride.fixes, ride.fixes.dropFirst())).map { ends, fixes in
      let seconds = fixes.1.time.timeIntervalSince(fixes.0.time)
      let speed = seconds > 0 ? fixes.0.coordinate.distance(to: fixes.1.coordinate) / seconds : 0
      let colour = Self.colours.first { speed < $0.0 }?.1 ?? "#d73027"
      return "<line x1=\"\(Self.number(ends.0.x))\" y1=\"\(Self.number(ends.0.y))\" x2=\"\(Self.number(ends.1.x))\" "
        + "y2=\"\(Self.number(ends.1.y))\" stroke=\"\(colour)\"/>"
    }.joined(separator: "\n")
  }

  private func ends(_ points: [Point]) -> String {
    zip(["Start", "End"], [points.first, points.last].compactMap(\.self)).map { name, point in
      "<circle cx=\"\(Self.number(point.x))\" cy=\"\(Self.number(point.y))\" r=\"10\" fill=\"currentColor\">"
        + "<title>\(name)</title></circle>"
    }.joined(separator: "\n")
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
