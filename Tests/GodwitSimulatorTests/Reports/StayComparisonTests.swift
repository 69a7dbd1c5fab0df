import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

private func stays(_ records: [Record], _ truth: Truth, until end: Double = 5_400) -> RunMeasures.StayMeasures {
  MeasuredRun(log(until: end, records), truth: truth).measures.stays
}

@Suite("Stays and trips in the measures of a run")
struct StayComparisonTests {
  /// The records of an accurate tracker for the outing.
  private var good: [Record] {
    [fix(0), fix(1_795)] + stride(from: 1_800.0, through: 3_000, by: 10).map { fix($0, north: ($0 - 1_800) * 10) }
      + [fix(3_100, north: 12_000), fix(5_390, north: 12_000)]
  }

  @Test("both stays of an outing are found; the start of the run and its end are not compared with recorded times")
  func found() throws {
    let figures = stays(good, try outing())
    #expect(figures.real == 2 && figures.found == 2)
    #expect(figures.recall == 1 && figures.precision == 1)
    let arrival = try #require(figures.arrivalDelay)
    let departure = try #require(figures.departureDelay)
    // The arrival at the second stay and the departure from the first. The true track is sampled every 10 s.
    #expect(arrival.absoluteWorst <= 10 && departure.absoluteWorst <= 10)
    #expect(figures.unnoticed == 0)
  }

  @Test("a visit with both times is a stay", arguments: [0.0, 60, 240])
  func visits(late: Double) throws {
    // A drive, 40 minutes at the destination, and the drive back.
    let truth = try Truth(days: [
      straight(from: 0, seconds: 600, speed: 10) + straight(from: 3_000, seconds: 600, speed: -10, north: 6_000)
    ])
    let out = stride(from: 0.0, through: 580, by: 20).map { fix($0, north: $0 * 10) }
    let back = stride(from: 3_040.0, through: 3_600, by: 20).map { fix($0, north: 6_000 - ($0 - 3_000) * 10) }
    let reported = visit(reported: 3_300, from: 600 + late, to: 3_000, north: 6_000)
    let figures = stays(out + back + [reported], truth, until: 3_600)
    #expect(figures.real == 1 && figures.recall == 1 && figures.precision == 1)
    let delay = try #require(figures.arrivalDelay)
    #expect(abs(delay.median - late) <= 20)
    #expect(try #require(figures.departureDelay).absoluteWorst <= 20)
  }

  @Test("a visit without an end lasts until its report, and a visit without a start begins at its end")
  func openVisits() {
    let positions = RecordedTrack([
      visit(reported: 900, from: 100, to: nil), visit(reported: 50, from: nil, to: 40), visit(reported: 30, from: nil, to: nil),
    ]).positions
    #expect(positions.map(\.time) == [30, 40, 100, 900].map { at($0).microseconds })
    #expect(positions.map(\.received) == [30, 40, 100, 900].map { at($0).microseconds })
  }

  @Test("a stay that is recorded 150 m away is not found, and the recorded stay is false")
  func elsewhere() throws {
    let moved = good.map { record in
      guard case .fix(var place) = record.kind, record.time >= at(3_000).date else { return record }
      place.coordinate = sample(0, north: 12_000, east: 150).coordinate
      return Record(kind: .fix(place))
    }
    let figures = stays(moved, try outing())
    #expect(figures.recall == 0.5 && figures.precision == 0.5)
    #expect(figures.arrivalDelay == nil)
  }

  @Test("delays are positive for a late departure and negative for an early arrival")
  func delays() throws {
    // By the records, the device is at home until 1,900 s, about 90 s too long, and at the destination from 2,940 s on, 60 s too
    // early.
    let records =
      [fix(0), fix(1_900)] + stride(from: 1_920.0, to: 2_900, by: 10).map { fix($0, north: ($0 - 1_800) * 10) }
      + [fix(2_940, north: 12_000), fix(5_390, north: 12_000)]
    let figures = stays(records, try outing())
    let departure = try #require(figures.departureDelay)
    let arrival = try #require(figures.arrivalDelay)
    #expect(departure.median > 80 && departure.median < 100 && departure.absoluteMedian == departure.median)
    #expect(arrival.median < -35 && arrival.median > -65 && arrival.absoluteMedian == -arrival.median)
    #expect(figures.worstDelay == departure.absoluteWorst)
  }

  @Test("a departure is noticed when a position elsewhere is received")
  func notice() throws {
    let late = good.map { record in
      var record = record
      // The departure is at about 1,810 s. No position of the drive is received before 2,200 s.
      if record.time > at(1_800).date, record.time < at(2_200).date { record.received = at(2_200).date }
      return record
    }
    let figures = stays(late, try outing())
    #expect(abs(try #require(figures.noticeMedian) - 390) <= 15)
    // The recorded time of the departure is accurate nevertheless.
    #expect(try #require(figures.departureDelay).absoluteWorst <= 10)
  }

  @Test("noise at rest adds no distance, and trips have their length")
  func distance() throws {
    var random = RandomSource(seed: 3)
    var records: [Record] = []
    for second in stride(from: 0.0, through: 5_400, by: 5) {
      let north = max(0, min(12_000, (second - 1_800) * 10))
      records.append(fix(second, north: north + 6 * random.normal(), east: 6 * random.normal()))
    }
    let noisy = MeasuredRun(log(until: 5_400, records), truth: try outing()).measures.distance
    #expect(abs(noisy.truth - 12_000) < 15)
    #expect(abs(try #require(noisy.difference)) < 0.006)
    // The sum of the distances between positions is far too long.
    let naive = zip(records, records.dropFirst()).reduce(0.0) { sum, pair in
      guard case .fix(let a) = pair.0.kind, case .fix(let b) = pair.1.kind else { return sum }
      return sum + GreatCircle.distance(a.coordinate, b.coordinate)
    }
    #expect(naive > 1.5 * noisy.truth)
  }

  @Test("a track that cuts a corner is too short by the difference")
  func corner() throws {
    let there = straight(from: 0, seconds: 300, speed: 10)
    let aside = stride(from: 5.0, through: 300, by: 5).map { sample(300 + $0, north: 3_000, east: $0 * 10) }
    let truth = try Truth(days: [there + aside])
    let figures = MeasuredRun(log(until: 600, [fix(0), fix(600, north: 3_000, east: 3_000)]), truth: truth).measures.distance
    #expect(abs(try #require(figures.difference) - (2.0.squareRoot() / 2 - 1)) < 0.005)
  }
}
