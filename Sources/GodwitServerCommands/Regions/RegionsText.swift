internal import Foundation
internal import GodwitCommandLine
internal import GodwitModel
internal import GodwitRegions
internal import GodwitServer
internal import GodwitStore
internal import GodwitTransfer

/// Texts of regions and region filters on the command line.
enum RegionsText {
  /// Returns all regions, or those of a device, that have one of the tags.
  static func all(_ store: any RegionStore, device: Int64?, tags: [String]) throws -> [StoredRegion] {
    let query = RegionPageQuery(device: device, filter: RegionFilter(tags: tags), first: .max)
    return try store.regionPage(query).nodes.compactMap { if case .region(let region) = $0 { region } else { nil } }
  }

  /// Returns the object `{"regions":[…]}`, in which each region has its revision.
  static func json(_ regions: [StoredRegion]) -> [UInt8] {
    var text = Array("{\"regions\":[".utf8)
    for (index, region) in regions.enumerated() {
      text += Array((index == 0 ? "\n" : ",\n").utf8)
      text += region.json.dropLast()
      text += #","revision":\#(region.revision)}"#.utf8
    }
    return text + Array("\n]}\n".utf8)
  }

  /// Encodes a value as JSON on one line.
  static func json(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value)) + [0x0A]
  }

  static func count(_ regions: Int) -> String { regions.counted("region") }

  static func shape(_ shape: RegionShape) -> String {
    switch shape {
    case .circle(let circle):
      return "circle \(degrees(circle.center)), \(number(circle.radius)) m"
    case .polygons(let area):
      let corners = area.polygons.reduce(0) { $0 + $1.rings.reduce(0) { $0 + $1.count } }
      return area.polygons.count == 1 ? "area, \(corners) corners" : "\(area.polygons.count) areas, \(corners) corners"
    case .beacon(let beacon):
      let numbers = [beacon.identity.major, beacon.identity.minor].compactMap(\.self).map { ",\($0)" }.joined()
      return "beacon \(beacon.identity.uuid)\(numbers)"
    }
  }

  /// Describes a region filter: "tags a, b; without c; groups d; regions e".
  static func describe(_ rule: DeviceRegionRule) -> String {
    let lists = [
      ("tags", rule.rule.tags), ("without", rule.rule.without), ("groups", rule.groups), ("regions", rule.rule.regions),
    ]
    var words = lists.filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    if words.isEmpty { words = ["all regions"] }
    if let evaluates = rule.evaluates { words.append("evaluated by the server: \(evaluates ? "on" : "off")") }
    return words.joined(separator: "; ")
  }

  /// Describes the regions of a device without a region filter.
  static func withoutFilter(isMembers: Bool) -> String { isMembers ? "regions of its app" : "all regions" }

  /// A region filter in the format of the server's API.
  struct Rule: Encodable {
    var tags, without, regions: [String]
    var groups: [String]?
    var evaluate: Bool?

    init(_ rule: DeviceRegionRule, isGroup: Bool) {
      (tags, without, regions) = (rule.rule.tags, rule.rule.without, rule.rule.regions)
      (groups, evaluate) = (isGroup ? nil : rule.groups, rule.evaluates)
    }
  }

  private static func degrees(_ place: Coordinate) -> String {
    String(format: "%.5f,%.5f", place.latitude, place.longitude)
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
  }
}

/// Numbers that are separated by commas.
struct Numbers: ArgumentValue {
  let values: [Double]

  init(argument: String) throws(UsageError) {
    var values: [Double] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = Double(part.trimmingCharacters(in: .whitespaces)), value.isFinite else {
        throw UsageError("\"\(part)\" is not a number")
      }
      values.append(value)
    }
    self.values = values
  }

  /// Returns the coordinate of the first two numbers.
  /// - Throws: ``UsageError`` if the number of values is not `count`, or the coordinate is invalid.
  func coordinate(_ option: String, of count: Int) throws(UsageError) -> Coordinate {
    guard values.count == count else {
      throw UsageError("\(option): expected \(count == 3 ? "LAT,LON,RADIUS" : "LAT,LON"), and there are \(values.count) numbers")
    }
    guard let place = Coordinate(latitude: values[0], longitude: values[1]) else {
      throw UsageError(
        "\(option): \(values[0]),\(values[1]) is not a valid position; expected latitude −90…90, longitude −180…180")
    }
    return place
  }
}

/// Positions that are separated by white space.
struct Corners: ArgumentValue {
  let places: [Coordinate]

  init(argument: String) throws(UsageError) {
    var places: [Coordinate] = []
    for (index, part) in argument.split(whereSeparator: \.isWhitespace).enumerated() {
      places.append(try Numbers(argument: String(part)).coordinate("corner \(index + 1)", of: 2))
    }
    self.places = places
  }
}

/// The argument `UUID`, `UUID,MAJOR` or `UUID,MAJOR,MINOR`.
struct BeaconArgument: ArgumentValue {
  let identity: BeaconIdentity

  init(argument: String) throws(UsageError) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard let uuid = ProximityUUID(parts[0]) else {
      throw UsageError("\"\(parts[0])\" is not a UUID such as F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
    }
    var numbers: [UInt16] = []
    for part in parts.dropFirst() {
      guard let number = UInt16(part) else { throw UsageError("\"\(part)\" is not a number from 0 to 65535") }
      numbers.append(number)
    }
    switch numbers.count {
    case 0: identity = BeaconIdentity(uuid: uuid)
    case 1...2: identity = BeaconIdentity(uuid: uuid, major: numbers[0], minor: numbers.dropFirst().first)
    default: throw UsageError("expected UUID, UUID,MAJOR or UUID,MAJOR,MINOR")
    }
  }
}

/// The argument `on` or `off`.
enum OnOff: String, ArgumentValue {
  case on, off

  init(argument: String) throws(UsageError) {
    guard let choice = OnOff(rawValue: argument) else { throw UsageError("\"\(argument)\" is not valid; write on or off") }
    self = choice
  }
}

extension RegionFormat: ArgumentValue {
  static var names: String { allCases.map(\.rawValue).joined(separator: "|") }

  init(argument: String) throws(UsageError) {
    guard let format = RegionFormat(rawValue: argument) else {
      throw UsageError("\"\(argument)\" is unknown; expected \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self = format
  }
}
