import Foundation
import GodwitModel
import GodwitSimulator

/// Returns the log of a run from midnight to `end` seconds later.
func log(
  _ policy: String = "some", day: String = "2026-11-20", until end: Double = 3_600, _ records: [Record] = []
) -> RunLog {
  var log = RunLog(
    policy: policy, route: "way", day: day, phone: "phone-2023", system: "ios18", seed: 1, start: at(0), end: at(end))
  log.records = records
  return log
}

/// Returns a fix that was received `late` seconds after its measurement.
func fix(_ seconds: Double, north: Double = 0, east: Double = 0, late: Double = 0) -> Record {
  var record = Record(kind: .fix(sample(seconds, north: north, east: east)))
  record.received = at(seconds + late).date
  return record
}

func visit(reported: Double, from arrival: Double?, to departure: Double?, north: Double = 0) -> Record {
  Record(
    kind: .visit(
      Visit(
        time: at(reported).date, coordinate: sample(0, north: north).coordinate, arrival: arrival.map { at($0).date },
        departure: departure.map { at($0).date })))
}

extension RunLog {
  /// Returns the log with this energy for satellites, and a tenth of it for standby.
  func using(_ joules: Double) -> RunLog {
    var log = self
    log.energy = EnergyPart.allCases.map { part in
      part == .satellites ? .joules(joules) : part == .standby ? .joules(joules / 10) : .zero
    }
    log.samples = stride(from: 0.0, through: 1, by: 1.0 / 96).map { part in
      RunLog.Sample(
        time: log.start + (log.end - log.start) * part, joules: log.energy.map { $0.joules * part },
        batteryLevel: 1 - part * joules / 45_720)
    }
    return log
  }
}

/// Returns the true track of half an hour at home, a drive of 20 minutes to the north at 10 m/s, and 40 minutes there.
func outing() throws -> Truth {
  try Truth(days: [
    [sample(0), sample(1_795)] + straight(from: 1_800, seconds: 1_200, speed: 10)
      + stride(from: 3_005, through: 5_400, by: 5).map { sample($0, north: 12_000) }
  ])
}
