#if os(Linux)
  import AccuracyData
  import CoreLocation
  import Foundation
  import GodwitModel
  import GodwitPhone
  import GodwitSimulator

  /// Simulates MobilityNet's days: the settings of each period on the true lines of its trips, compared with the measured values.
  struct PhoneSimulation {
    /// A kind of phone of the set.
    private struct Kind {
      var isApple: Bool
      var title: String
      var profile: PhoneProfile
      var system: SystemVersion
    }

    /// The energy use of the simulated phones of one setting and kind of days.
    private struct Score {
      /// The measured battery use of the same periods.
      var measured = BatteryScore()
      var hours = 0.0
      /// Joules by part, in the order of `EnergyPart.allCases`.
      var joules = [Double](repeating: 0, count: EnergyPart.allCases.count)
      /// Joules of the satellite receiver during searches.
      var searching = 0.0

      /// Milliwatts of everything but the phone's standby.
      var net: Double? {
        hours > 0 ? (joules.reduce(0, +) - joules[EnergyPart.standby.rawValue]) / hours / 3.6 : nil
      }
    }

    private let data: MobilityNet
    private let kinds: [Kind]
    private let truth: Truth
    private let home: Truth
    /// The battery use of all phones and periods.
    private let uses: [MobilityNet.BatteryUse]
    /// The parameters of the profiles that `Accuracy/fit-phones` fits.
    private static let fitted: [PhoneProfile.Number] = [
      .satelliteSearch, .satellites, .runnable, .wifiScan, .cellPosition, .delivery,
    ]

    /// - Parameters:
    ///   - data: the data set.
    ///   - phone: the only profile to simulate, `iphone-6` or `nexus-6`; `nil` for both.
    init(of data: MobilityNet, phone: String? = nil) throws {
      self.data = data
      uses = try data.phones.flatMap(data.batteryUses)
      let all = [(true, "iphone-6", SystemVersion.ios12), (false, "nexus-6", .linux)]
      kinds = all.filter { phone == nil || $0.1 == phone }.map {
        Kind(
          isApple: $0.0, title: MobilityNet.model(isApple: $0.0), profile: PhoneProfile.named($0.1) ?? .usual, system: $0.2)
      }
      if let phone, kinds.isEmpty {
        throw DatasetError(path: phone, reason: "it is no phone of the set: use iphone-6 or nexus-6")
      }
      var rules = TruthRules()
      rules.stretches = data.legs.filter { $0.mode == "SUBWAY" }.map {
        TruthRules.Stretch(from: SimulatedTime($0.start), to: SimulatedTime($0.end), environment: .underground)
      }
      truth = try Truth(days: data.trips.map(data.track), rules: rules)
      guard let start = data.trips.first?.start, let place = data.legs.first(where: { !$0.line.isEmpty })?.line.first else {
        throw DatasetError(path: "bin/data", reason: "it has no line of a trip")
      }
      let times = [start, start.addingTimeInterval(DayLength.seconds)]
      home = try Truth(days: [times.map { Fix(time: $0, coordinate: place) }])
    }

    // MARK: Tables

    func printTables() throws {
      print(
        "Measured, and simulated on the true lines. Relative: net of the phone's own power, to the best accuracy at all times.\n")
      print("| phone | days | setting | hours | measured, % an hour | simulated | measured, relative | simulated | difference |")
      print("|---|---|---|---|---|---|---|---|---|")
      var positions: [String: (measured: ErrorScore, simulated: ErrorScore)] = [:]
      for kind in kinds {
        for days in MobilityNet.Days.allCases {
          let scores = try scores(of: kind, days, isSplit: false) { use, fixes in
            let key = "\(kind.title) | \(PhoneEnergy.title(of: use.setting))"
            var both = positions[key, default: (ErrorScore(), ErrorScore())]
            add(fixes, from: use.start, to: use.end, &both.simulated)
            if let period = data.periods(of: use.phone).first(where: { abs($0.start.timeIntervalSince(use.start)) < 600 }) {
              add(try data.fixes(of: period), from: use.start, to: use.end, &both.measured)
            }
            positions[key] = both
          }
          printRows(scores, kind, days)
        }
      }
      print("\nDistance of the positions from the true line, during legs with a line.\n")
      let columns = ["positions", "median", "95 %", "within the reported accuracy"]
      print(
        "| phone | setting | " + (columns.map { "measured: \($0)" } + columns.map { "simulated: \($0)" }).joined(separator: " | ")
          + " |")
      print("|---|---|---|---|---|---|---|---|---|---|")
      for (key, both) in positions.sorted(by: { $0.key < $1.key }) where both.measured.count > 0 {
        print("| " + ([key] + both.measured.cells + both.simulated.cells).joined(separator: " | ") + " |")
      }
    }

    private func printRows(_ scores: [String: Score], _ kind: Kind, _ days: MobilityNet.Days) {
      let best = scores.first { PhoneEnergy.best.contains($0.key) }?.value
      let measured = scores.mapValues(\.measured)
      for (setting, score) in scores.sorted(by: { $0.key < $1.key }) where setting != PhoneEnergy.control {
        guard let rate = score.measured.rate, let net = score.net, let bestNet = best?.net, bestNet > 0 else { continue }
        let percent = (net + kind.profile[.standby]) / (kind.profile[.battery] * 10)
        let isNet = measured[PhoneEnergy.control] != nil
        let share = PhoneEnergy.share(of: setting, in: measured)
        let own = isNet ? 0 : kind.profile[.standby]
        let simulated = (net + own) / (bestNet + own)
        let cells = [
          kind.title, days.rawValue, PhoneEnergy.title(of: setting), String(format: "%.0f", score.hours),
          String(format: "%.2f", rate), String(format: "%.2f", percent), share.map { String(format: "%.0f %%", 100 * $0) } ?? "–",
          String(format: "%.0f %%", 100 * simulated),
          share.map { $0 > 0 ? String(format: "%+.0f %%", 100 * (simulated / $0 - 1)) : "–" } ?? "–",
        ]
        print("| " + cells.joined(separator: " | ") + " |")
      }
    }

    /// Prints a line for each kind of phone, days and setting: the measured power and the phone's own power in milliwatts, and the
    /// simulated power by part with the parameters of `phone-2023`.
    func printParts() throws {
      let names = EnergyPart.allCases.map(\.name)
      let kinds = kinds.map { kind in
        var kind = kind
        for number in Self.fitted { kind.profile = kind.profile.with(number, PhoneProfile.usual[number]) }
        return kind
      }
      print((["phone", "days", "setting", "hours", "measured", "own", "searching"] + names).joined(separator: ","))
      for kind in kinds {
        for days in MobilityNet.Days.allCases {
          let scores = try scores(of: kind, days, isSplit: true) { _, _ in }
          for (setting, score) in scores.sorted(by: { $0.key < $1.key }) where setting != PhoneEnergy.control {
            let own = scores[PhoneEnergy.control]?.measured.rate
            let milliwatts = kind.profile[.battery] * 10
            let numbers =
              [score.hours, (score.measured.rate ?? 0) * milliwatts, own.map { $0 * milliwatts } ?? -1]
              + ([score.searching] + score.joules).map { $0 / max(score.hours, 1e-9) / 3.6 }
            let words = [kind.profile.name, days.rawValue.replacingOccurrences(of: ",", with: ""), setting]
            print((words + numbers.map { String(format: "%.3f", $0) }).joined(separator: ","))
          }
        }
      }
    }

    // MARK: Runs

    /// Simulates all periods of a kind of phone and days.
    /// - Parameters:
    ///   - isSplit: whether the search for satellites is measured separately, with a second run.
    ///   - positions: a closure that receives the positions of the simulated app of a period.
    private func scores(
      of kind: Kind, _ days: MobilityNet.Days, isSplit: Bool, positions: (MobilityNet.BatteryUse, [Fix]) throws -> Void
    ) throws -> [String: Score] {
      var scores: [String: Score] = [:]
      for use in uses where use.isApple == kind.isApple && use.days == days {
        var score = scores[use.setting, default: Score()]
        score.measured.add(use)
        if let setting = Self.setting(use.setting, isApple: kind.isApple) {
          let run = run(setting, kind.profile, kind.system, use)
          score.hours += use.hours
          for (index, joules) in run.joules.enumerated() { score.joules[index] += joules }
          if isSplit {
            let other = self.run(setting, kind.profile.with(.satelliteSearch, 0), kind.system, use)
            let part = EnergyPart.satellites.rawValue
            score.searching += run.joules[part] - other.joules[part]
          }
          try positions(use, run.positions)
        }
        scores[use.setting] = score
      }
      return scores
    }

    private func run(
      _ setting: SettingRecorder.Setting, _ profile: PhoneProfile, _ system: SystemVersion, _ use: MobilityNet.BatteryUse
    ) -> (joules: [Double], positions: [Fix]) {
      let isAtRest = use.days == .atRest
      var configuration = SimulatedPhone.Configuration(truth: isAtRest ? home : truth)
      configuration.phone = profile
      configuration.system = system
      configuration.start = isAtRest ? home.start : SimulatedTime(use.start)
      let positions = SettingRecorder.Positions()
      let phone = SimulatedPhone(configuration, app: SettingRecorder.app(setting, positions: positions), server: MemoryServer())
      phone.run(until: phone.now + use.hours * 3600)
      let joules = phone.world.energy().map(\.energy.joules)
      phone.end()
      return (joules, positions.all)
    }

    /// Returns the request of a setting to the system. Android has an interval instead of a filter. Its "balanced" with one second reported
    /// a median accuracy of 11 m, so that it used satellites.
    private static func setting(_ name: String, isApple: Bool) -> SettingRecorder.Setting? {
      let isMedium = name.contains("MF")
      let accuracy: CLLocationAccuracy
      switch name {
      case "ACCURACY_CONTROL", "HAHFAO", "HAHFDC", "HAMFDC", "HAMFAO": accuracy = kCLLocationAccuracyBest
      case "TMBAHFAO": accuracy = kCLLocationAccuracyNearestTenMeters
      case "MAHFDC": accuracy = isApple ? kCLLocationAccuracyHundredMeters : kCLLocationAccuracyNearestTenMeters
      case "MAMFDC", "MAMFAO": accuracy = kCLLocationAccuracyHundredMeters
      case "HLPAHFAO": accuracy = isApple ? kCLLocationAccuracyHundredMeters : kCLLocationAccuracyKilometer
      default: return nil
      }
      return SettingRecorder.Setting(
        accuracy: accuracy, filter: isApple ? (isMedium ? 30 : 1) : nil, interval: !isApple && isMedium ? 30 : nil,
        isDutyCycled: name.hasSuffix("DC"))
    }

    // MARK: Errors of positions

    /// The distances of positions from the true line.
    private struct ErrorScore {
      private var distances: [Double] = []
      private var judged = 0
      private var within = 0

      var count: Int { distances.count }

      mutating func add(_ distance: Meters, accuracy: Meters?) {
        distances.append(distance)
        guard let accuracy, accuracy >= 0 else { return }
        judged += 1
        if distance <= accuracy { within += 1 }
      }

      var cells: [String] {
        func text(_ part: Double) -> String {
          StayScore.quantile(distances, part).map { String(format: "%.1f m", $0) } ?? "–"
        }
        let share = judged > 0 ? String(format: "%.0f %%", 100 * Double(within) / Double(judged)) : "–"
        return [String(count), text(0.5), text(0.95), share]
      }
    }

    private func add(_ fixes: [Fix], from start: Date, to end: Date, _ score: inout ErrorScore) {
      for leg in data.legs where leg.start >= start && leg.end <= end && leg.line.count > 1 {
        let line = TrackLine(leg.line)
        for fix in fixes where fix.time >= leg.start && fix.time <= leg.end {
          if let distance = line.distance(to: fix.coordinate) { score.add(distance, accuracy: fix.horizontalAccuracy) }
        }
      }
    }
  }
#endif
