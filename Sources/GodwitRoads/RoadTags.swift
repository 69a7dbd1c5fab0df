/// The OpenStreetMap tags that determine the kind of a road and the travel that it is open to (wiki pages `Key:highway`,
/// `Key:railway`, `Key:access` and `Key:oneway`).
///
///     var tags = RoadTags()
///     tags.set("highway", "residential")
///     tags.set("oneway", "yes")
///     let attributes = tags.attributes
package struct RoadTags: Sendable, Hashable {
  private var highway = "", railway = "", route = "", junction = "", area = ""
  private var oneway = "", bicycleOneway = "", cycleway = ""
  private var access = "", vehicle = "", motor = "", bicycle = "", foot = "", bus = ""

  package init() {}

  /// Sets a tag. Other tags are ignored.
  package mutating func set(_ key: String, _ value: String) {
    switch key {
    case "highway": highway = value
    case "railway": railway = value
    case "route": route = value
    case "junction": junction = value
    case "area": area = value
    case "oneway": oneway = value
    case "oneway:bicycle": bicycleOneway = value
    case "cycleway", "cycleway:both", "cycleway:left", "cycleway:right": if value.hasPrefix("opposite") { cycleway = value }
    case "access": access = value
    case "vehicle": vehicle = value
    case "motor_vehicle": if motor.isEmpty { motor = value }
    // The more specific tag takes precedence.
    case "motorcar": motor = value
    case "bicycle": bicycle = value
    case "foot": foot = value
    case "bus", "psv": bus = value
    default: break
    }
  }

  /// The attributes of the road; `nil` if the tags are not those of a road, or if it is closed to all travel.
  package var attributes: RoadAttributes? {
    guard area != "yes", let kind else { return nil }
    var road = RoadAttributes(kind: kind)
    if kind.isRail {
      road.open(to: .rail, forward: true, backward: true)
      return road
    }
    let (forward, backward) = directions
    if isOpen(motor, vehicle, byKind: kind.isForMotors) || Self.permits(bus) == true {
      road.open(to: .motor, forward: forward, backward: backward)
    }
    if isOpen(bicycle, vehicle, byKind: kind.isForBicycles) {
      let both = bicycleOneway == "no" || !cycleway.isEmpty
      road.open(to: .bicycle, forward: forward || both, backward: backward || both)
    }
    if isOpen(foot, "", byKind: kind.isForFeet) { road.open(to: .foot, forward: true, backward: true) }
    return Travel.allCases.contains { road.isOpen(to: $0, reversed: false) || road.isOpen(to: $0, reversed: true) } ? road : nil
  }

  private var kind: RoadKind? {
    switch highway {
    case "motorway", "motorway_link": return .motorway
    case "trunk", "trunk_link": return .trunk
    case "primary", "primary_link": return .primary
    case "secondary", "secondary_link": return .secondary
    case "tertiary", "tertiary_link": return .tertiary
    case "unclassified", "residential", "road": return .street
    case "living_street": return .livingStreet
    case "service", "busway", "bus_guideway": return .service
    case "track": return .track
    case "cycleway": return .cycleway
    case "path", "footway", "bridleway", "corridor": return .path
    case "pedestrian": return .pedestrian
    case "steps": return .steps
    default: break
    }
    switch railway {
    case "rail", "narrow_gauge", "preserved", "funicular": return .rail
    case "light_rail", "monorail": return .lightRail
    case "subway": return .subway
    case "tram": return .tram
    default: return route == "ferry" ? .ferry : nil
    }
  }

  private var directions: (forward: Bool, backward: Bool) {
    switch oneway {
    case "yes", "true", "1": return (true, false)
    case "-1", "reverse": return (false, true)
    // Both directions are possible on a road whose direction depends on the time of day.
    case "no", "false", "0", "reversible", "alternating": return (true, true)
    default:
      let isImplied = junction == "roundabout" || junction == "circular" || highway == "motorway"
      return (true, !isImplied)
    }
  }

  /// Returns whether a kind of travel is permitted: by the most specific tag, otherwise by the kind of the road. A road with
  /// restricted access counts as open, because the track shows that the user had access.
  private func isOpen(_ specific: String, _ group: String, byKind isUsual: Bool) -> Bool {
    if let isPermitted = Self.permits(specific) ?? Self.permits(group) { return isPermitted }
    return isUsual && access != "no"
  }

  private static func permits(_ value: String) -> Bool? {
    switch value {
    case "": nil
    case "no": false
    default: true
    }
  }
}

extension RoadKind {
  fileprivate var isRail: Bool { [.rail, .lightRail, .subway, .tram].contains(self) }
  fileprivate var isForMotors: Bool { rawValue <= RoadKind.track.rawValue || self == .ferry }
  fileprivate var isForBicycles: Bool { self != .motorway && self != .steps && !isRail }
  fileprivate var isForFeet: Bool { self != .motorway && !isRail }
}
