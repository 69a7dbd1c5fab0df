import Foundation
import GodwitModel
import Testing

@testable import GodwitHistory

/// Trips of two kilometres in ten minutes. The model gives a car a probability of 60 %.
private enum TestTrips {
  /// The trip of a day.
  /// - Parameter north: the distance from 46° N, in 1e-7 degrees.
  static func trip(
    _ day: Int64, mode: TravelMode = .car, probabilities: [Double]? = [0.1, 0.3, 0.6], north: Int32 = 0,
    distance: Double = 2_000, isReported: Bool = false
  ) -> FoundTrip {
    let start = day * 86_400_000
    let segment = FoundTrip.Segment(
      mode: mode, confidence: 0.6, isReported: isReported, start: start, end: start + 600_000, distance: distance,
      moving: 600, topSpeed: 5, probabilities: probabilities)
    return FoundTrip(
      start: start, end: start + 600_000, from: [460_000_000 + north, 145_000_000], to: [460_000_000 + north, 145_250_000],
      segments: [segment])
  }

  static func correction(
    _ trip: FoundTrip, _ action: TimelineCorrection.Action, id: Int64, undone: Date? = nil
  ) -> TimelineCorrection {
    TimelineCorrection(
      id: id, device: 1, created: Date(timeIntervalSince1970: 0), undone: undone,
      body: TimelineCorrection.Body(action, of: TimelineCorrection.Target(.trip, start: trip.start, end: trip.end)))
  }
}

@Suite("Learning modes from corrections")
struct TripHabitTests {
  private let trips = (1...6).map { TestTrips.trip(Int64($0)) }

  private func corrected(_ days: [Int], _ mode: TravelMode, undone: Date? = nil) -> TripHabits {
    TripHabits(
      days.enumerated().map { TestTrips.correction(trips[$1], .mode(mode), id: Int64($0) + 1, undone: undone) }, of: trips)
  }

  @Test("after two corrections the same trip of the next day has their mode and its probability")
  func twice() {
    let shown = corrected([0, 1], .cycle).applied(to: trips[2])
    #expect(shown.mode == .cycle && shown.segments[0].isLearned)
    // 0.3 × 2.25 of 0.025 + 0.675 + 0.15
    #expect(shown.segments[0].confidence == 0.79)
    #expect(shown.segments[0].distance == trips[2].segments[0].distance)
  }

  @Test("corrections to train are learned, though positions do not distinguish a train from a car")
  func train() {
    #expect(corrected([0], .train).applied(to: trips[2]).mode == .train)
    #expect(corrected([0], .plane).applied(to: trips[2]) == trips[2], "corrections to plane are not learned")
  }

  @Test("examples of walks do not change a train on rails into a car")
  func rails() {
    // The model does not distinguish motor vehicles.
    let train = TestTrips.trip(9, mode: .train, probabilities: [0.02, 0.03, 0.95])
    let habits = corrected([0], .walk)
    #expect(habits.applied(to: TestTrips.trip(9, probabilities: [0.02, 0.03, 0.95])).mode == .car)
    #expect(habits.applied(to: train).mode == .train)
    #expect(corrected([0, 1], .car).applied(to: train).mode == .car, "the user's corrections have precedence over the map")
  }

  @Test("without applied or similar corrections, a trip is not changed")
  func unchanged() {
    #expect(TripHabits([], of: trips).applied(to: trips[0]) == trips[0])
    #expect(TripHabits([], of: trips).isEmpty)
    #expect(corrected([0, 1], .cycle, undone: Date(timeIntervalSince1970: 1)).applied(to: trips[2]) == trips[2])
    let habits = corrected([0, 1], .cycle)
    for trip in [
      // A kilometre away, twice as fast, reported by the device, and without probabilities of the model.
      TestTrips.trip(9, north: 100_000), TestTrips.trip(9, distance: 4_000), TestTrips.trip(9, isReported: true),
      TestTrips.trip(9, mode: .unknown, probabilities: nil),
    ] { #expect(habits.applied(to: trip) == trip) }
  }

  @Test("a corrected mode does not apply to trips with implausible speeds for it")
  func speed() {
    // 12 m/s on average, and 4.2 m/s.
    let fast = (1...3).map { TestTrips.trip(Int64($0), distance: 7_200) }
    let runs = TripHabits(fast.prefix(2).enumerated().map { TestTrips.correction($1, .mode(.run), id: Int64($0)) }, of: fast)
    #expect(runs.applied(to: fast[2]).mode == .car)
    let walks = (1...3).map { TestTrips.trip(Int64($0), distance: 2_520) }
    let slow = TripHabits(walks.prefix(2).enumerated().map { TestTrips.correction($1, .mode(.walk), id: Int64($0)) }, of: walks)
    #expect(slow.applied(to: walks[2]).mode == .car)
    let impossible = TestTrips.trip(9, probabilities: [0.4, 0, 0.6])
    #expect(corrected([0, 1, 2, 3], .cycle).applied(to: impossible).mode == .car)
  }

  @Test("the last correction of a trip applies, and a corrected trip is not changed by corrections of others")
  func own() {
    let twice = TripHabits(
      [
        TestTrips.correction(trips[0], .mode(.walk), id: 1), TestTrips.correction(trips[0], .mode(.cycle), id: 2),
        TestTrips.correction(trips[1], .mode(.cycle), id: 3),
      ], of: trips)
    #expect(twice.applied(to: trips[2]).mode == .cycle)
    #expect(twice.applied(to: trips[0]).mode == .cycle)
    let confirmed = TripHabits(
      [TestTrips.correction(trips[4], .confirm, id: 1)]
        + [0, 1].map { TestTrips.correction(trips[$0], .mode(.cycle), id: Int64($0) + 2) }, of: trips)
    #expect(confirmed.applied(to: trips[4]) == trips[4], "the trip was confirmed as a car")
  }

  @Test("a confirmation applies to the shown mode, and is an example as well")
  func confirmation() {
    let corrections = [0, 1].map { TestTrips.correction(trips[$0], .mode(.cycle), id: Int64($0) + 1) }
    let habits = TripHabits(corrections + [TestTrips.correction(trips[2], .confirm, id: 3)], of: trips)
    #expect(habits.applied(to: trips[2]).mode == .cycle)
    let fewer = TripHabits(corrections, of: trips)
    #expect(habits.applied(to: trips[3]).segments[0].confidence > fewer.applied(to: trips[3]).segments[0].confidence)
  }

  @Test("each part of a trip is compared separately, with its own ends")
  func parts() {
    func whole(_ day: Int64) -> FoundTrip {
      var trip = TestTrips.trip(day)
      let walk = FoundTrip.Segment(
        mode: .walk, confidence: 0.9, isReported: false, start: trip.end, end: trip.end + 600_000, distance: 700, moving: 600,
        topSpeed: 1.5, from: trip.to, probabilities: [0.9, 0.1, 0])
      trip.segments.append(walk)
      (trip.end, trip.to) = (walk.end, [460_000_000, 145_340_000])
      return trip
    }
    let days = (1...3).map { whole(Int64($0)) }
    let habits = TripHabits(
      days.prefix(2).enumerated().map { index, trip in
        var part = TestTrips.correction(trip, .mode(.cycle), id: Int64(index))
        part.body.target.end = trip.segments[0].end
        return part
      }, of: days)
    #expect(habits.applied(to: days[2]).segments.map(\.mode) == [.cycle, .walk])
  }

  @Test("the timeline stores the start of each part and the model's probabilities")
  func stored() throws {
    var journey = Journey()
    journey.stay(900)
    journey.go(700, at: 1.4)
    journey.go(4_000, at: 13, swing: 0.5)
    journey.stay(900)
    let trip = try #require(journey.trips.first)
    try #require(trip.segments.map(\.mode) == [.walk, .car])
    let (walk, drive) = (trip.segments[0], trip.segments[1])
    #expect(walk.from == nil, "the first part starts with the trip")
    #expect(drive.from?.count == 2 && drive.from != trip.from && drive.from != trip.to)
    #expect(walk.probabilities?.last == 0, "a motor vehicle is impossible at walking speed")
    #expect(drive.probabilities.map { $0.count == 3 && $0[2] > 0.5 && abs($0.reduce(0, +) - 1) < 1e-3 } == true)
    let text = try TimelineCoding.text(trip)
    #expect(try TripReader.trip(text) == trip && TimelineCoding.value(FoundTrip.self, text) == trip)
  }
}
