internal import Foundation
public import GodwitModel
internal import GodwitResources

/// The reports of a real motion chip for each true motion: fractions of the time, and rates of change.
///
/// The reports are a continuous-time Markov chain for each situation. After a change of the true motion the chain continues from
/// the last report, so that delays follow from the same rates.
public struct MotionChipModel: Sendable, Hashable, Codable {
  /// Name on the command line, for example "ios-2014".
  public var name: String
  /// Description in one line.
  public var title: String
  /// The data set, and the command that computed the model from it.
  public var source: String
  private var situations: [String: Rates]

  /// The true situation of the phone.
  public enum Situation: String, Sendable, Hashable, CaseIterable {
    case walking, cycling, driving
    /// Standing for less than ten minutes, for example at a traffic light or on a platform.
    case waiting
    /// A stay of ten minutes to four hours. The phone is carried.
    case staying
    /// A longer stay. The phone lies on a table.
    case resting

    /// Minimum seconds of a stay, and of a rest.
    static let shortestStay = 600.0
    static let shortestRest = 14_400.0

    /// Creates the situation of a true motion of the given duration in seconds. Running is treated as walking.
    public init(_ motion: Motion, lasting seconds: Double) {
      if motion.contains(.driving) {
        self = .driving
      } else if motion.contains(.cycling) {
        self = .cycling
      } else if motion.contains(.walking) || motion.contains(.running) {
        self = .walking
      } else {
        self = seconds < Self.shortestStay ? .waiting : seconds < Self.shortestRest ? .staying : .resting
      }
    }
  }

  /// A report of a chip.
  public enum Report: String, Sendable, Hashable, CaseIterable {
    case nothing, stationary, walking, running, cycling, driving
    case standingInTraffic = "stationary+driving"

    /// Creates the report that is most similar to a motion.
    public init(_ motion: Motion) {
      if motion.contains(.driving) {
        self = motion.contains(.stationary) ? .standingInTraffic : .driving
      } else if motion.contains(.cycling) {
        self = .cycling
      } else if motion.contains(.running) {
        self = .running
      } else if motion.contains(.walking) {
        self = .walking
      } else {
        self = motion.contains(.stationary) ? .stationary : .nothing
      }
    }

    /// The motion that is reported to the app.
    public var motion: Motion {
      switch self {
      case .nothing: []
      case .stationary: .stationary
      case .walking: .walking
      case .running: .running
      case .cycling: .cycling
      case .driving: .driving
      case .standingInTraffic: [.stationary, .driving]
      }
    }
  }

  /// The Markov chain of one situation.
  public struct Rates: Sendable, Hashable, Codable {
    /// Hours of observation.
    public var hours: Double
    /// Fraction of the time with each report, 0…1.
    public var shares: [String: Double]
    /// Changes per hour, by the report before and the report after the change.
    public var changes: [String: [String: Double]]

    /// - Parameters:
    ///   - hours: Hours of observation.
    ///   - shares: Fraction of the time with each report.
    ///   - changes: Changes per hour, by the report before and the report after the change.
    public init(hours: Double, shares: [Report: Double], changes: [Report: [Report: Double]]) {
      self.hours = hours
      self.shares = Dictionary(uniqueKeysWithValues: shares.map { ($0.key.rawValue, $0.value) })
      self.changes = Dictionary(
        uniqueKeysWithValues: changes.map { before, after in
          (before.rawValue, Dictionary(uniqueKeysWithValues: after.map { ($0.key.rawValue, $0.value) }))
        })
    }
  }

  /// - Parameters:
  ///   - name: Name on the command line.
  ///   - title: Description in one line.
  ///   - source: The data set, and the command that computed the model from it.
  ///   - situations: The Markov chain of each situation.
  public init(name: String, title: String, source: String, situations: [Situation: Rates]) {
    self.name = name
    self.title = title
    self.source = source
    self.situations = Dictionary(uniqueKeysWithValues: situations.map { ($0.key.rawValue, $0.value) })
  }

  /// The Markov chain of a situation.
  public subscript(_ situation: Situation) -> Rates? { situations[situation.rawValue] }

  /// Returns the fraction of a situation's time with a report, 0…1.
  public func share(of report: Report, in situation: Situation) -> Double { self[situation]?.shares[report.rawValue] ?? 0 }

  /// Draws a report of a situation with the probability of its fraction of the time.
  func report(in situation: Situation, _ random: inout RandomSource) -> Report {
    Self.choose(random.uniform()) { share(of: $0, in: situation) } ?? .nothing
  }

  /// Draws the next change of a report in a situation, with the seconds until then; `nil` if the report does not change.
  func change(of report: Report, in situation: Situation, _ random: inout RandomSource) -> (seconds: Double, report: Report)? {
    guard let rates = self[situation]?.changes[report.rawValue] else { return nil }
    // A fixed order is needed, because the order of a dictionary differs between runs.
    let total = Report.allCases.reduce(0) { $0 + (rates[$1.rawValue] ?? 0) }
    // One change in a hundred years counts as none. Its time would overflow.
    guard total > 1e-6 else { return nil }
    let seconds = random.exponential(mean: 3600 / total)
    return Self.choose(random.uniform() * total) { rates[$0.rawValue] ?? 0 }.map { (seconds, $0) }
  }

  /// Returns the first report at which the sum of the weights exceeds a number. If rounding errors prevent this, returns the last
  /// report with a weight.
  private static func choose(_ number: Double, weight: (Report) -> Double) -> Report? {
    var (rest, last) = (number, Report?.none)
    for report in Report.allCases {
      let part = weight(report)
      guard part > 0 else { continue }
      if rest < part { return report }
      rest -= part
      last = report
    }
    return last
  }
}

extension MotionChipModel {
  private struct Table: Codable {
    var chips: [MotionChipModel]
  }

  /// The models that are part of Godwit: `ios-2014` and `android-2014`.
  public static let all: [MotionChipModel] = {
    // The table is a resource of the program and is checked by a test, so reading it cannot fail.
    try! read(Resources.simulator["GodwitSimulator/Phones/motion-chips.json"])
  }()

  /// Returns the model with a name; `nil` if there is none.
  public static func named(_ name: String) -> MotionChipModel? { all.first { $0.name == name } }

  /// Reads a table in the format of `motion-chips.json`.
  /// - Throws: ``PhoneProfile/TableError`` with the chip and the value that is missing, unknown or out of range.
  public static func read(_ json: [UInt8]) throws(PhoneProfile.TableError) -> [MotionChipModel] {
    let table: Table
    do {
      table = try JSONDecoder().decode(Table.self, from: Data(json))
    } catch {
      throw PhoneProfile.TableError(
        description: "the table of motion chips does not have the form of motion-chips.json: \(error)")
    }
    for chip in table.chips { try chip.check() }
    return table.chips
  }

  /// Encodes a table in the format of `motion-chips.json`.
  public static func json(of chips: [MotionChipModel]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return Array(try encoder.encode(Table(chips: chips))) + [0x0A]
  }

  private func check() throws(PhoneProfile.TableError) {
    for situation in Situation.allCases where self[situation] == nil {
      throw PhoneProfile.TableError(description: "chip \"\(name)\": the situation \(situation.rawValue) is missing")
    }
    for (situation, rates) in situations.sorted(by: { $0.key < $1.key }) {
      guard Situation(rawValue: situation) != nil else {
        throw PhoneProfile.TableError(description: "chip \"\(name)\": \(situation) is not a situation; remove it")
      }
      let names = Array(rates.shares.keys) + rates.changes.flatMap { [$0.key] + $0.value.keys }
      if let unknown = names.sorted().first(where: { Report(rawValue: $0) == nil }) {
        throw PhoneProfile.TableError(description: "chip \"\(name)\", \(situation): \(unknown) is not a report; remove it")
      }
      let numbers = Array(rates.shares.values) + rates.changes.values.flatMap(\.values)
      // No chip changes its report more than ten times a second.
      guard numbers.allSatisfy({ $0 >= 0 && $0 <= 36_000 }) else {
        throw PhoneProfile.TableError(description: "chip \"\(name)\", \(situation): give shares and rates of 0 to 36,000 an hour")
      }
      guard abs(rates.shares.values.reduce(0, +) - 1) < 0.01 else {
        throw PhoneProfile.TableError(description: "chip \"\(name)\", \(situation): the shares must add up to 1")
      }
    }
  }
}
