import Foundation
import GodwitApp
import Testing

@Suite("Contents of the widget")
struct WidgetModelTests {
  private static func bytes(
    isTracking: Bool = true, isProblem: Bool = false, trip: WidgetSnapshot.TripSnapshot? = nil
  ) throws -> Data {
    try JSONEncoder().encode(
      WidgetSnapshot(
        time: Date(timeIntervalSince1970: 1_000_000), isTracking: isTracking, title: "Recording", detail: "All is well.",
        isProblem: isProblem, waiting: 12, lastSent: nil, trip: trip))
  }

  @Test(
    "the symbol depends on tracking and on problems",
    arguments: [
      (true, false, "location.fill"), (false, false, "location.slash"), (true, true, "exclamationmark.triangle.fill"),
      (false, true, "exclamationmark.triangle.fill"),
    ])
  func symbol(_ isTracking: Bool, _ isProblem: Bool, _ symbol: String) throws {
    let model = WidgetModel(try Self.bytes(isTracking: isTracking, isProblem: isProblem), languages: ["en"])
    #expect(model.symbol == symbol)
    #expect(model.title == "Recording")
    #expect(model.queuedText == "12 queued")
    #expect(model.trip == nil)
  }

  @Test("a trip has its mode, its distance and a clock that starts with the trip")
  func trip() throws {
    let start = Date(timeIntervalSince1970: 999_000)
    let snapshot = WidgetSnapshot.TripSnapshot(
      mode: "bicycle", label: "Bicycle", symbol: "bicycle", start: start, distance: 12_400)
    let trip = try #require(WidgetModel(try Self.bytes(trip: snapshot), languages: ["en"]).trip)
    #expect(trip.label == "Bicycle")
    #expect(trip.symbol == "bicycle")
    #expect(trip.distanceText == "12.4 km")
    #expect(trip.clock.lowerBound == start)
    #expect(trip.accessibilityLabel == "Trip: Bicycle, 12.4 km")
  }

  @Test(
    "without a snapshot, or with a damaged one, the widget shows that the tracker is opening", arguments: [nil, Data([1])])
  func empty(_ bytes: Data?) {
    let model = WidgetModel(bytes, languages: ["en"])
    #expect(model.title == "Opening the tracker …")
    #expect(model.symbol == "location.slash")
    #expect(model.trip == nil)
  }
}
