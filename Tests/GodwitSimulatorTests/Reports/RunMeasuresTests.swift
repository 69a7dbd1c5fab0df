import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

private func measures(_ log: RunLog, _ truth: Truth, _ rules: MeasuringRules = MeasuringRules()) -> RunMeasures {
  MeasuredRun(log, truth: truth, rules: rules).measures
}

@Suite("Measures of a run")
struct RunMeasuresTests {
  /// Returns the true track of a drive of 20 minutes to the north, recorded and moving all the time.
  private func drive() throws -> Truth { try Truth(days: [straight(from: 0, seconds: 1_200, speed: 10)]) }

  @Test("a track that is 30 m beside the true track has an error of 30 m at every second of the trips")
  func beside() throws {
    let records = stride(from: 0.0, through: 1_200, by: 10).map { fix($0, north: $0 * 10, east: 30) }
    let figures = measures(log(until: 1_200, records), try drive()).track
    #expect(figures.movingSeconds > 1_150 && figures.movingSeconds <= 1_200)
    let median = try #require(figures.median)
    let worst = try #require(figures.worst)
    #expect(abs(median - 30) < 0.2 && abs(worst - 30) < 0.2)
    #expect(figures.covered == 1)
  }

  @Test("between two positions the track is straight and uniform, through an unknown stop")
  func between() throws {
    // The true track is 600 s at 10 m/s. Only its ends are recorded, the second one 100 s late: 6,000 m in 700 s.
    let truth = try Truth(days: [straight(from: 0, seconds: 600, speed: 10)])
    let figures = measures(log(until: 600, [fix(0), fix(700, north: 6_000)]), truth).track
    // At second t the true position is 10 t and the recorded one 60/7 t. The error is 10/7 t, at most 856 m at second 599.
    let worst = try #require(figures.worst)
    #expect(abs(worst - 599.0 * 10 / 7) < 1)
    // Positions 700 s apart cover only the second of a measurement.
    #expect(figures.covered == (1.0 / 600).rounded(to: 1e5))
  }

  @Test("order statistics are elements of the list", arguments: [(0.5, 2), (0.95, 4), (1, 4), (0, 1), (0.25, 1), (0.26, 2)])
  func quantile(part: Double, element: Int) {
    #expect([1, 2, 3, 4].quantile(part) == element)
    #expect([Int]().quantile(part) == nil)
  }

  @Test("time is covered if positions are at most 180 s apart and the track is within 100 m", arguments: [180.0, 181])
  func covered(gap: Double) throws {
    let truth = try Truth(days: [straight(from: 0, seconds: 1_200, speed: 10)])
    let figures = measures(
      log(until: gap, [fix(0), fix(gap, north: gap * 10)]), truth)
    // The first second is the second of a position.
    #expect(figures.track.covered == (gap <= 180 ? 1 : (1 / gap).rounded(to: 1e5)))
    let aside = measures(log(until: gap, [fix(0, east: 101), fix(gap, north: gap * 10, east: 101)]), truth)
    #expect(aside.track.covered == 0)
  }

  @Test("movement within 100 m of a place is covered by positions there before and after it, whatever its duration")
  func coveredAtPlace() throws {
    let about = stride(from: 0.0, through: 1_200, by: 5).map { second in
      sample(second, north: 40 * abs((second / 60).truncatingRemainder(dividingBy: 2) - 1))
    }
    let truth = try Truth(days: [about])
    let figures = measures(log(until: 1_200, [fix(0, north: 20), fix(1_200, north: 25)]), truth)
    #expect(figures.track.movingSeconds > 400)
    #expect(figures.track.covered == 1)
  }

  @Test("interpolated parts of the true track are not measured, unless requested")
  func filledIn() throws {
    // A gap of two hours in which 14 km were driven.
    let truth = try Truth(days: [[sample(0), sample(5), sample(7_200, north: 14_000)]])
    let run = log(until: 7_200, [fix(0)])
    #expect(measures(run, truth).track.movingSeconds == 0)
    #expect(measures(run, truth).track.median == nil)
    var rules = MeasuringRules()
    rules.onlyRecorded = false
    let all = measures(run, truth, rules).track
    #expect(abs(all.movingSeconds - 1_000) < 40)
    let worst = try #require(all.worst)
    #expect(abs(worst - 14_000) < 20)
  }

  @Test("the track is at the first position before it, and at the last position after it")
  func ends() throws {
    let figures = measures(log(until: 1_200, [fix(600, north: 6_000)]), try drive()).track
    let worst = try #require(figures.worst)
    #expect(abs(worst - 6_000) < 15)
    // The true position is within 100 m of it from ten seconds before until ten seconds after.
    #expect(abs(try #require(figures.covered) - 21 / Double(figures.movingSeconds)) < 0.002)
  }

  @Test("a drive across the antimeridian is measured like any other")
  func dateLine() throws {
    func place(_ seconds: Double) throws -> Coordinate {
      let longitude = 179.95 + seconds * 1e-4
      return try #require(Coordinate(latitude: 10, longitude: longitude > 180 ? longitude - 360 : longitude))
    }
    let track = try stride(from: 0.0, through: 1_000, by: 5).map { Fix(time: at($0).date, coordinate: try place($0)) }
    let records = try stride(from: 0.0, through: 1_000, by: 50).map {
      Record(kind: .fix(Fix(time: at($0).date, coordinate: try place($0))))
    }
    let figures = measures(log(until: 1_000, records), try Truth(days: [track])).track
    #expect(figures.movingSeconds > 900)
    #expect(try #require(figures.worst) < 0.1)
  }

  @Test("without a record there is no error, no covered time, no found stay and no distance")
  func nothing() throws {
    let figures = measures(log(until: 5_400), try outing())
    #expect(figures.track.movingSeconds > 1_150)
    #expect(figures.track.median == nil && figures.track.worst == nil)
    #expect(figures.track.covered == 0)
    #expect(figures.stays.real == 2 && figures.stays.recall == 0 && figures.stays.precision == nil)
    #expect(figures.stays.worstDelay == nil && figures.stays.unnoticed == 1)
    #expect(figures.distance.recorded == 0 && figures.distance.difference == -1)
    #expect(figures.track.worstAge > 2_900)
  }

  @Test("a day at rest has one stay, no trip, and no error")
  func still() throws {
    let truth = try Truth(days: [[sample(0)]])
    let figures = measures(log(until: 86_400, [fix(10)]).using(100), truth)
    #expect(figures.track.movingSeconds == 0 && figures.track.median == nil && figures.track.covered == nil)
    #expect(figures.stays.real == 1 && figures.stays.recall == 1 && figures.stays.precision == 1)
    #expect(figures.stays.arrivalDelay == nil && figures.stays.departureDelay == nil)
    #expect(figures.distance.difference == nil)
  }

  @Test("an empty run has no figures and does not fail")
  func noTime() throws {
    let figures = measures(log(until: 0, [fix(0)]).using(5), try drive())
    #expect(figures.days == 0 && figures.energy.milliwattHoursPerDay == 0 && figures.track.movingSeconds == 0)
    #expect(figures.stays.real == 0)
    let backwards = measures(log(until: -600, [fix(0)]), try drive())
    #expect(backwards.days == 0 && backwards.track.movingSeconds == 0)
  }

  @Test("positions after a clock change are at their stated times, and the error shows it")
  func setBack() throws {
    // From 600 s on, the phone's clock is an hour behind.
    let records = stride(from: 0.0, through: 1_200, by: 10).map { second in
      var record = fix(second < 600 ? second : second - 3_600, north: second * 10)
      record.received = at(second).date
      return record
    }
    let figures = measures(log(until: 1_200, records), try drive()).track
    let worst = try #require(figures.worst)
    #expect(abs(worst - 6_100) < 50)
    #expect(try #require(figures.covered) < 0.55)
    // The phone had positions all the time, but after the clock change none with a newer time.
    #expect(abs(figures.worstAge - 609) <= 5)
  }

  @Test("an invalid time is omitted from the track", arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func noNumber(seconds: Double) throws {
    var bad = fix(0, north: 50_000)
    if case .fix(var fix) = bad.kind {
      fix.time = Date(timeIntervalSince1970: seconds)
      bad.kind = .fix(fix)
    }
    let good = stride(from: 0.0, through: 1_200, by: 10).map { fix($0, north: $0 * 10) }
    let figures = measures(log(until: 1_200, [bad] + good), try drive()).track
    #expect(try #require(figures.worst) < 0.2)
  }

  @Test("the age is that of the newest received position")
  func age() throws {
    // There is a position every minute, but those from 300 to 600 s are received together at 620 s.
    let records = stride(from: 0.0, through: 1_200, by: 60).map { second in
      fix(second, north: second * 10, late: second >= 300 && second <= 600 ? 620 - second : 0)
    }
    #expect(measures(log(until: 1_200, records), try drive()).track.worstAge == 379)
  }

  @Test("the energy is that of all parts except standby, in joules, per day, and as a share of the battery")
  func energy() throws {
    let figures = measures(log(until: 43_200).using(360), try drive()).energy
    #expect(figures.joules == 360)
    #expect(figures.milliwattHoursPerDay == 200)
    #expect(abs(figures.batteryPerDay - 0.2 / 12.7) < 1e-6)
    #expect(figures.parts.map(\.part) == EnergyPart.allCases.map(\.name))
    #expect(figures.parts.first { $0.part == "standby" }?.joules == 36)
  }

  @Test("the median of several runs is the median of all their seconds")
  func pooled() throws {
    // 1,200 s with an error of 10 m, and 300 s with 100 m: the median of the seconds is 10 m.
    let long = log(until: 1_200, stride(from: 0.0, through: 1_200, by: 10).map { fix($0, north: $0 * 10, east: 10) })
    let short = log(until: 300, stride(from: 0.0, through: 300, by: 10).map { fix($0, north: $0 * 10, east: 100) })
    var report = RunCounts(long, truth: try drive())
    report.add(RunCounts(short, truth: try Truth(days: [straight(from: 0, seconds: 300, speed: 10)])))
    let figures = report.measures(battery: .wattHours(12.7)).track
    #expect(abs(try #require(figures.median) - 10) < 0.1)
    #expect(abs(try #require(figures.percentile95) - 100) < 0.5)
    #expect(report.errors == report.errors.sorted())
  }
}
