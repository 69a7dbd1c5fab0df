package import Foundation

extension MobilityNet {
  /// The kind of trips of a phone in a period.
  package enum Days: String, Sendable, Hashable, CaseIterable {
    case trainBusBicycle = "train, bus, e-bike"
    case carScooter = "car, bus, e-scooter"
    case carBicycle = "car, bicycle"
    case atRest = "at rest"

    init?(experiment: String) {
      switch experiment {
      case let name where name.hasPrefix("train_bus"): self = .trainBusBicycle
      case let name where name.hasPrefix("car_scooter"): self = .carScooter
      case let name where name.hasPrefix("unimodal_trip"): self = .carBicycle
      case let name where name.contains("stationary_only"): self = .atRest
      default: return nil
      }
    }
  }

  /// The battery of a phone in a period with one setting.
  package struct BatteryUse: Sendable, Hashable {
    package var phone: String
    /// The setting, such as `HAHFDC`; for a period at rest, a setting without duty cycling such as `HAHFAO`.
    package var setting: String
    package var days: Days
    /// The times of the first and the last reading.
    package var start: Date
    package var end: Date
    /// The decrease from the first to the last reading in per cent of the battery.
    package var percent: Double

    /// Whether the phone is an iPhone.
    package var isApple: Bool { MobilityNet.isApple(phone) }
    /// Hours between the two readings.
    package var hours: Double { end.timeIntervalSince(start) / 3600 }
  }

  /// Returns the battery use of a phone, one value for each period with at least two readings.
  package func batteryUses(of phone: String) throws -> [BatteryUse] {
    struct Reading: Decodable {
      var percent: Double
      var ts: Double
      private enum CodingKeys: String, CodingKey {
        case percent = "battery_level_pct"
        case ts
      }
    }
    let settings = specifications.flatMap(\.calibrations).reduce(into: [String: String]()) { $0[$1.id] = $1.setting.id }
    let transitions = try Self.transitions(of: phone, in: folder)
    let periods = ["EVALUATION_PERIOD", "CALIBRATION_PERIOD"].flatMap { Self.pairs(transitions, $0) }
    var uses: [BatteryUse] = []
    for (id, start, end) in periods.sorted(by: { $0.start < $1.start }) {
      guard let file = file(of: phone, in: ["background~battery"], from: start, to: end),
        let days = Days(experiment: file.deletingLastPathComponent().deletingLastPathComponent().lastPathComponent)
      else { continue }
      let all: [Reading] = try Self.entries(of: file)
      let readings = all.filter {
        abs($0.percent) <= 100 && $0.ts >= start.timeIntervalSince1970 && $0.ts <= end.timeIntervalSince1970
      }
      .sorted { $0.ts < $1.ts }
      guard let first = readings.first, let last = readings.last, first.ts < last.ts else { continue }
      let name = id.split(separator: ":").last.map(String.init) ?? id
      uses.append(
        BatteryUse(
          phone: phone, setting: settings[name] ?? name, days: days, start: Date(timeIntervalSince1970: first.ts),
          end: Date(timeIntervalSince1970: last.ts), percent: first.percent - last.percent))
    }
    return uses
  }
}
