internal import Foundation
internal import GodwitResources

/// What one kind of phone costs: every number with its unit, its source, and how far it can be trusted.
public struct PhoneProfile: Sendable, Hashable, Codable {
  /// "phone-2023".
  public var name: String
  /// What it stands for, in a line.
  public var title: String
  /// `nil`: Apple's.
  private var rest: RestRules?
  private var numbers: [String: Quantity]
  private var radios: [String: [String: Quantity]]

  /// A number and where it comes from.
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
    /// The basis of the number.
    public var origin: Origin
    /// Paper, page, or the reason for an assumption.
    public var source: String
  }

  public enum Unit: String, Sendable, Hashable, Codable {
    case wattHours = "Wh"
    case milliwatts = "mW"
    case joules = "J"
    case seconds = "s"
    /// Milliwatts more for each megabit a second.
    case milliwattsPerMegabit = "mW/Mbps"
  }

  /// How far a number can be trusted.
  public enum Origin: String, Sendable, Hashable, Codable {
    /// Read in the paper.
    case published
    /// From the literature, but not read again.
    case recalled
    /// Reported from a measurement or a list.
    case field
    case assumed
  }

  /// What a profile says of the phone itself. All are needed, and none is negative.
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

    /// Numbers that something is divided by or waits for.
    var mustBePositive: Bool {
      [.battery, .wifiScanMoving, .wifiScanStill, .cellPositionInterval].contains(self)
    }
  }

  /// What it says of each radio for data.
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

  /// What its system does to apps while the phone is at rest.
  public var restRules: RestRules { rest ?? .apple }

  /// The same phone with a system of other rules at rest.
  public func with(_ rules: RestRules) -> PhoneProfile {
    var copy = self
    copy.rest = rules
    return copy
  }

  /// A number of the phone.
  public subscript(_ number: Number) -> Double { numbers[number.rawValue]?.value ?? 0 }

  /// The same with its source.
  public func quantity(_ number: Number) -> Quantity? { numbers[number.rawValue] }

  /// Another value, to see what depends on it; the source then says that it was changed. A negative one counts as 0.
  public func with(_ number: Number, _ value: Double) -> PhoneProfile {
    var copy = self
    copy.numbers[number.rawValue] = Quantity(
      value: max(0, value), unit: number.unit, origin: .assumed, source: "changed manually")
    return copy
  }

  public func power(_ number: Number) -> Power { .milliwatts(self[number]) }
  public func energy(_ number: Number) -> Energy { number.unit == .wattHours ? .wattHours(self[number]) : .joules(self[number]) }

  /// The radios that it has.
  public var networks: [NetworkKind] { NetworkKind.allCases.filter { radios[$0.rawValue] != nil } }

  /// What data cost over a network. A phone without that radio uses the best older one; nil if it has none.
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
  /// Why a table of phones cannot be used.
  public struct TableError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
  }

  private struct Table: Codable {
    var phones: [PhoneProfile]
  }

  /// The phones that come with Godwit: `legacy-n95`, `lte-2012`, `phone-2023`, `pixel-7`, `pixel-8-pro`, `iphone-6`, `nexus-6`.
  public static let all: [PhoneProfile] = {
    // The table is part of the program and a test reads it: it is always whole.
    try! read(Resources.simulator["GodwitSimulator/Phones/phones.json"])
  }()

  /// One of them; nil for a name that none has.
  public static func named(_ name: String) -> PhoneProfile? { all.first { $0.name == name } }

  /// The phone that is meant when none is named: `phone-2023`.
  public static var usual: PhoneProfile { named("phone-2023") ?? all[0] }

  /// Reads a table in the form of `phones.json`.
  /// - Throws: ``TableError`` naming the phone and the number that is missing, unknown, negative or in another unit.
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
      // A million watts or joules are no phone, and would not fit.
      guard quantity.value >= 0, quantity.value <= 1e6 else {
        throw TableError(description: "\(place): \(name) is \(quantity.value); give 0 to 1,000,000 \(unit.rawValue)")
      }
    }
    if let name = values.keys.sorted().first(where: { known[$0] == nil }) {
      throw TableError(description: "\(place): \(name) is not a number of a profile; remove it")
    }
  }
}
