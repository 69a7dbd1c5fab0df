internal import Foundation
public import GodwitModel
internal import GodwitResources

/// What a real motion chip reports while the true motion is a given one: shares of the time, and how often the report changes.
///
/// The reports are a Markov chain in continuous time, one for each situation. After a change of the true motion the chip goes on from
/// its report of before, so that delays follow from the same rates.
public struct MotionChipModel: Sendable, Hashable, Codable {
  /// "ios-2014".
  public var name: String
  /// What it stands for, in a line.
  public var title: String
  /// The data, and the command that computed it.
  public var source: String
  private var situations: [String: Rates]

  /// What is true while the chip looks.
  public enum Situation: String, Sendable, Hashable, CaseIterable {
    case walking, cycling, driving
    /// Standing for less than ten minutes: a stop, a light, a platform.
    case waiting
    /// Staying for ten minutes to four hours, the phone carried along.
    case staying
    /// Staying longer, the phone on a table.
    case resting

    /// Seconds from which on standing is a stay, and a stay is a rest.
    static let shortestStay = 600.0
    static let shortestRest = 14_400.0

    /// The situation of a true motion that lasts so many seconds. Running is like walking.
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

  /// What a chip reports.
  public enum Report: String, Sendable, Hashable, CaseIterable {
    case nothing, stationary, walking, running, cycling, driving
    case standingInTraffic = "stationary+driving"

    /// The nearest report to what a chip says.
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

    /// What is reported to the app.
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

  /// The chain of one situation.
  public struct Rates: Sendable, Hashable, Codable {
    /// Hours that were observed.
    public var hours: Double
    /// The part of the time with each report, 0…1.
    public var shares: [String: Double]
    /// Changes an hour, by the report before and the one after.
    public var changes: [String: [String: Double]]

    /// - Parameters:
    ///   - hours: Hours that were observed.
    ///   - shares: The part of the time with each report.
    ///   - changes: Changes an hour, by the report before and the one after.
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
  ///   - name: Its name on the command line.
  ///   - title: What it stands for, in a line.
  ///   - source: The data, and the command that computed it.
  ///   - situations: The chain of each situation.
  public init(name: String, title: String, source: String, situations: [Situation: Rates]) {
    self.name = name
    self.title = title
    self.source = source
    self.situations = Dictionary(uniqueKeysWithValues: situations.map { ($0.key.rawValue, $0.value) })
  }

  /// The chain of a situation.
  public subscript(_ situation: Situation) -> Rates? { situations[situation.rawValue] }

  /// The part of a situation's time with a report, 0…1.
  public func share(of report: Report, in situation: Situation) -> Double { self[situation]?.shares[report.rawValue] ?? 0 }

  /// A report of a situation by its share of the time.
  func report(in situation: Situation, _ random: inout RandomSource) -> Report {
    Self.choose(random.uniform()) { share(of: $0, in: situation) } ?? .nothing
  }

  /// The next change of a report in a situation, and the seconds until then; `nil`: it stays.
  func change(of report: Report, in situation: Situation, _ random: inout RandomSource) -> (seconds: Double, report: Report)? {
    guard let rates = self[situation]?.changes[report.rawValue] else { return nil }
    // In a fixed order: the order of a dictionary differs between runs.
    let total = Report.allCases.reduce(0) { $0 + (rates[$1.rawValue] ?? 0) }
    // One change in a hundred years is none, and its time would not fit.
    guard total > 1e-6 else { return nil }
    let seconds = random.exponential(mean: 3600 / total)
    return Self.choose(random.uniform() * total) { rates[$0.rawValue] ?? 0 }.map { (seconds, $0) }
  }

  /// The first report at which the sum of the weights exceeds a number; the last one with a weight if rounding leaves none.
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

  /// The chips that come with Godwit: `ios-2014` and `android-2014`.
  public static let all: [MotionChipModel] = {
    // The table is part of the program and a test reads it: it is always whole.
    try! read(Resources.simulator["GodwitSimulator/Phones/motion-chips.json"])
  }()

  /// One of them; `nil` for a name that none has.
  public static func named(_ name: String) -> MotionChipModel? { all.first { $0.name == name } }

  /// Reads a table in the form of `motion-chips.json`.
  /// - Throws: ``PhoneProfile/TableError`` naming the chip and what is missing, unknown or out of range.
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

  /// Writes a table in the form of `motion-chips.json`.
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
      // A chip that changes ten times a second would be none.
      guard numbers.allSatisfy({ $0 >= 0 && $0 <= 36_000 }) else {
        throw PhoneProfile.TableError(description: "chip \"\(name)\", \(situation): give shares and rates of 0 to 36,000 an hour")
      }
      guard abs(rates.shares.values.reduce(0, +) - 1) < 0.01 else {
        throw PhoneProfile.TableError(description: "chip \"\(name)\", \(situation): the shares must add up to 1")
      }
    }
  }
}
