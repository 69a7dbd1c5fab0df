import Foundation
import GodwitModel

@testable import CoreLocation

let scriptStart = Date(timeIntervalSince1970: 1_800_000_000)

/// A source of scripted positions, north of the origin.
struct Script: PositionSource {
  /// The origin of every script.
  static let origin = CLLocationCoordinate2D(latitude: 45, longitude: 14)

  /// Seconds between two positions.
  var interval = 10.0
  /// Metres north of the origin, for each position.
  var north: [Double]
  /// Awaited before each position.
  var before: @Sendable (_ index: Int) async -> Void = { _ in }

  static func fix(_ seconds: Double, north meters: Double) -> Fix {
    let time = scriptStart.addingTimeInterval(seconds)
    // Valid: the latitude is close to 45°.
    return Fix(time: time, coordinate: Coordinate(latitude: 45 + meters / 111_195, longitude: 14)!, horizontalAccuracy: 5)
  }

  var isSimulated: Bool { true }

  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    for (index, meters) in north.enumerated() {
      await before(index)
      try Task.checkCancellation()
      await tell(.positions([Self.fix(Double(index) * interval, north: meters)]))
    }
    await tell(.finished)
  }

  /// Returns a coordinate `meters` north of the origin.
  static func place(north meters: Double) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: 45 + meters / 111_195, longitude: 14)
  }
}

/// A receiver that is on and has no position.
struct NoPosition: PositionSource {
  var isSimulated: Bool { true }
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    await tell(.unavailable("no sky"))
    await tell(.finished)
  }
}
