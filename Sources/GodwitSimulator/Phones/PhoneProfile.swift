internal import Foundation
internal import GodwitResources

/// Energy profile of a kind of phone. Each number has a unit, a source and a degree of reliability.
public struct PhoneProfile: Sendable, Hashable, Codable {
  /// Name on the command line, for example "phone-2023".
  public var name: String
  /// Description in one line.
  public var title: String
  /// `nil` for Apple's rules.
  private var rest: RestRules?
  private var numbers: [String: Quantity]
  private var radios: [String: [String: Quantity]]

  /// A number with its source.
  public struct Quantity: Sendable, Hashable, Codable {
    private enum CodingKeys: String, CodingKey {
      case value
      case unit
      case origin = "basis"
      case source
    }

    /// The number, in `unit`.
    public var value: Double
    /// The unit of the number.
    public var unit: Unit
    /// How reliable the number is.
    public var origin: Origin
    /// Paper and page, or the reason for an assumption.
    public var source: String
  }

  public enum Unit: String, Sendable, Hashable, Codable {
    case wattHours = "Wh"
    case milliwatts = "mW"
    case joules = "J"
    case seconds = "s"
    /// Additional milliwatts for each megabit per second.
    case milliwattsPerMegabit = "mW/Mbps"
  }

  /// How reliable a number is.
  public enum Origin: String, Sendable, Hashable, Codable {
    /// The number was read in the paper.
    case published
    /// The number is from the literature and was not checked again.
    case recalled
    /// The number was reported from a measurement or a list.
    case field
    case assumed
  }

  /// The numbers of the phone itself. All are required and not negative.
  public enum Number: String, Sendable, Hashable, CaseIterable {
    case battery, standby, runnable, busy, wake, relaunch, satelliteSearch, satellites, satellitesForNavigation,
      satelliteOffDelay, delivery, wifiScan, wifiScanMoving, wifiScanStill, cellPosition, cellPositionInterval, visits,
      regionsFar, regionsNear, significantChanges, monitoringEvent, motion, beaconMonitoring, beaconRanging

    public var unit: Unit {
      switch self {
      case .battery: .wattHours
      case .wake, .relaunch, .delivery, .wifiScan, .cellPosition, .monitoringEvent: .joules
      case .satelliteOffDelay, .wifiScanMoving, .wifiScanStill, .cellPositionInterval: .seconds
      default: .milliwatts
      }
    }

    /// Whether the number must be above 0, because it is a divisor or an interval.
    public var mustBePositive: Bool {
      [.battery, .wifiScanMoving, .wifiScanStill, .cellPositionInterval].contains(self)
    }
  }

  /// The numbers of each data radio.
  public enum RadioNumber: String, Sendable, Hashable, CaseIterable {
    case promotion, promotionTime, base, up, down, tail, tailTime, secondTail, secondTailTime, exchange

    public var unit: Unit {
      switch self {
      case .promotion, .base, .tail, .secondTail: .milliwatts
      case .up, .down: .milliwattsPerMegabit
      case .promotionTime, .tailTime, .secondTailTime, .exchange: .seconds
      }
    }
  }

  /// Restrictions of the phone's system on apps at rest.
  public var restRules: RestRules { rest ?? .apple }

  /// Returns a copy of the phone with other rules at rest.
  public func with(_ rules: RestRules) -> PhoneProfile {
    var copy = self
    copy.rest = rules
    return copy
  }

  /// Returns a number of the phone.
  public subscript(_ number: Number) -> Double { numbers[number.rawValue]?.value ?? 0 }

  /// Returns a number of the phone with its source.
  public func quantity(_ number: Number) -> Quantity? { numbers[number.rawValue] }

  /// Returns a copy with another value of a number, for a sensitivity analysis. The source of the copy states the change. A
  /// negative value counts as 0.
  public func with(_ number: Number, _ value: Double) -> PhoneProfile {
    var copy = self
    copy.numbers[number.rawValue] = Quantity(
      value: max(0, value), unit: number.unit, origin: .assumed, source: "changed manually")
    return copy
  }

  public func power(_ number: Number) -> Power { .milliwatts(self[number]) }
  public func energy(_ number: Number) -> Energy { number.unit == .wattHours ? .wattHours(self[number]) : .joules(self[number]) }

  /// The networks for which the phone has a radio.
  public var networks: [NetworkKind] { NetworkKind.allCases.filter { radios[$0.rawValue] != nil } }

  /// Returns the costs of data over a network. A phone without that radio uses the best older one; `nil` if it has none.
  public func radio(_ kind: NetworkKind) -> DataRadio.Cost? {
    let order: [NetworkKind] =
      switch kind {
      case .none: []
      case .wifi: [.wifi]
      case .umts: [.umts]
      case .lte: [.lte, .umts]
      case .nr: [.nr, .lte, .umts]
      }
    guard let values = order.lazy.compactMap({ self.radios[$0.rawValue] }).first else { return nil }
    func value(_ number: RadioNumber) -> Double { values[number.rawValue]?.value ?? 0 }
    return DataRadio.Cost(
      promotion: .milliwatts(value(.promotion)), promotionTime: value(.promotionTime), base: .milliwatts(value(.base)),
      upPerMegabit: value(.up), downPerMegabit: value(.down),
      tails: [(.tail, .tailTime), (.secondTail, .secondTailTime)].compactMap { (power: RadioNumber, time: RadioNumber) in
        value(time) > 0 ? DataRadio.Tail(power: .milliwatts(value(power)), seconds: value(time)) : nil
      }, exchange: value(.exchange))
  }
}

extension PhoneProfile {
  /// An error in a table of phones.
  public struct TableError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
  }

  private struct Table: Codable {
    var phones: [PhoneProfile]
  }

  /// The phones that are part of Godwit: `legacy-n95`, `lte-2012`, `phone-2023`, `pixel-7`, `pixel-8-pro`, `iphone-6`, `nexus-6`.
  public static let all: [PhoneProfile] = {
    // The table is a resource of the program and is checked by a test, so reading it cannot fail.
    try! read(Resources.simulator["GodwitSimulator/Phones/phones.json"])
  }()

  /// Returns the phone with a name; `nil` if there is none.
  public static func named(_ name: String) -> PhoneProfile? { all.first { $0.name == name } }

  /// The default phone: `phone-2023`.
  public static var usual: PhoneProfile { named("phone-2023") ?? all[0] }

  /// Reads a table in the format of `phones.json`.
  /// - Throws: ``TableError`` with the phone and the number that is missing, unknown, negative or in another unit.
  public static func read(_ json: [UInt8]) throws(TableError) -> [PhoneProfile] {
    let table: Table
    do {
      table = try JSONDecoder().decode(Table.self, from: Data(json))
    } catch {
      throw TableError(description: "the table of phones does not have the form of phones.json: \(error)")
    }
    guard !table.phones.isEmpty else { throw TableError(description: "the table of phones is empty; add at least one phone") }
    for phone in table.phones { try phone.check() }
    return table.phones
  }

  private func check() throws(TableError) {
    try check(
      numbers, place: "phone \"\(name)\"",
      known: Dictionary(uniqueKeysWithValues: Number.allCases.map { ($0.rawValue, $0.unit) }))
    for number in Number.allCases where number.mustBePositive && self[number] <= 0 {
      throw TableError(description: "phone \"\(name)\": \(number.rawValue) must be above 0")
    }
    for (radio, values) in radios.sorted(by: { $0.key < $1.key }) {
      guard let kind = NetworkKind(rawValue: radio), kind != .none else {
        throw TableError(description: "phone \"\(name)\": there is no radio \"\(radio)\"; use wifi, 3g, lte or 5g")
      }
      try check(
        values, place: "phone \"\(name)\", radio \(radio)",
        known: Dictionary(uniqueKeysWithValues: RadioNumber.allCases.map { ($0.rawValue, $0.unit) }))
    }
  }

  private func check(_ values: [String: Quantity], place: String, known: [String: Unit]) throws(TableError) {
    for (name, unit) in known.sorted(by: { $0.key < $1.key }) {
      guard let quantity = values[name] else {
        throw TableError(description: "\(place): \(name) is missing; give it in \(unit.rawValue)")
      }
      guard quantity.unit == unit else {
        throw TableError(description: "\(place): \(name) is in \(quantity.unit.rawValue); give it in \(unit.rawValue)")
      }
      // More than a million watts or joules is not a phone, and would overflow.
      guard quantity.value >= 0, quantity.value <= 1e6 else {
        throw TableError(description: "\(place): \(name) is \(quantity.value); give 0 to 1,000,000 \(unit.rawValue)")
      }
    }
    if let name = values.keys.sorted().first(where: { known[$0] == nil }) {
      throw TableError(description: "\(place): \(name) is not a number of a profile; remove it")
    }
  }
}
