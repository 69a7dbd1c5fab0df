internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads the monthly files of Google's semantic location history (`2021_JANUARY.json`): `timelineObjects[]`, each with an
/// `activitySegment`, which becomes a trip and the fixes of its path, or a `placeVisit`, which becomes a visit.
struct GoogleSemantic: JSONElements {
  static let format = "Google semantic history"

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case [], ["timelineObjects"]: .enter
    case ["timelineObjects", "[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    var reason: String? = "expected an activitySegment or a placeVisit"
    try json.members { (json, key) throws(JSONReader.Fault) in
      let isVisit = json.matches(key, "placeVisit")
      guard isVisit || json.matches(key, "activitySegment") else { return false }
      var part = try Self.part(&json, isVisit: isVisit, depth: 0)
      reason = part.give(to: &sink)
      return true
    }
    if let reason { throw json.unexpected(reason, at: start) }
  }

  private static func part(_ json: inout JSONReader, isVisit: Bool, depth: Int) throws(JSONReader.Fault) -> GooglePart {
    _ = json.peek()
    var part = GooglePart(isVisit: isVisit, isActivity: !isVisit, offset: json.position)
    var waypoints = GooglePart()
    var centre = (Double.nan, Double.nan)
    try json.members { (json, key) throws(JSONReader.Fault) in
      switch key.count {
      case 8 where json.matches(key, "duration"):
        try json.members { (json, key) throws(JSONReader.Fault) in
          if json.matches(key, "startTimestamp") || json.matches(key, "startTimestampMs") {
            part.start = try json.optionalTime()
          } else if json.matches(key, "endTimestamp") || json.matches(key, "endTimestampMs") {
            part.end = try json.optionalTime()
          } else {
            return false
          }
          return true
        }
      case 8 where isVisit && json.matches(key, "location"):
        part.place = try json.googlePlace { (json, key) throws(JSONReader.Fault) in
          for name in ["name", "address", "placeId", "semanticType"] as [StaticString] where json.matches(key, name) {
            part.extras.add(name.description, try json.optionalString())
            return true
          }
          return false
        }
      case 11 where json.matches(key, "centerLatE7"): centre.0 = try json.optionalNumber() ?? .nan
      case 11 where json.matches(key, "centerLngE7"): centre.1 = try json.optionalNumber() ?? .nan
      // A visit to a shop in a visit to a market; deeper levels do not occur.
      case 11 where depth < 8 && json.matches(key, "childVisits"):
        try json.elements { (json, _) throws(JSONReader.Fault) in
          part.children.append(try Self.part(&json, isVisit: true, depth: depth + 1))
        }
      case 13 where json.matches(key, "startLocation"): part.from = try json.googlePlace()
      case 11 where json.matches(key, "endLocation"): part.to = try json.googlePlace()
      case 8 where json.matches(key, "distance"): part.distance = try json.optionalMagnitude()
      case 12 where json.matches(key, "activityType"):
        let word = try json.optionalString()
        part.mode = word.map(GoogleActivity.mode)
        part.extras.add("activityType", word)
      case 10 where json.matches(key, "confidence"), 15 where json.matches(key, "placeConfidence"),
        15 where json.matches(key, "visitConfidence"), 22 where json.matches(key, "editConfirmationStatus"):
        let name = json.decoded(key)
        if try json.kind() == .number {
          part.extras.add(name, try json.optionalNumber())
        } else {
          part.extras.add(name, try json.optionalString())
        }
      case 12 where json.matches(key, "waypointPath"): waypoints = try path(&json, "waypoints", ".waypointPath")
      case 17 where json.matches(key, "simplifiedRawPath"):
        let points = try path(&json, "points", ".simplifiedRawPath")
        (part.path, part.faults) = (points.path, points.faults)
      default: return false
      }
      return true
    }
    if part.path.isEmpty {
      part.path = waypoints.path
      part.faults += waypoints.faults
    }
    part.place = part.place ?? GooglePlace.coordinate(latitudeE7: centre.0, longitudeE7: centre.1)
    return part
  }

  private static func path(
    _ json: inout JSONReader, _ name: StaticString, _ parent: String
  ) throws(JSONReader.Fault) -> GooglePart {
    var part = GooglePart()
    try json.members { (json, key) throws(JSONReader.Fault) in
      guard json.matches(key, name) else { return false }
      try json.elements { (json, index) throws(JSONReader.Fault) in
        _ = json.peek()
        let first = json.position
        var (time, hasTime, accuracy) = (Int64?.none, false, Double?.none)
        let place = try json.googlePlace { (json, key) throws(JSONReader.Fault) in
          if json.matches(key, "timestamp") || json.matches(key, "timestampMs") {
            (time, hasTime) = try json.timeIfPresent()
          } else if json.matches(key, "accuracyMeters") {
            accuracy = try json.optionalMagnitude()
          } else {
            return false
          }
          return true
        }
        part.add(place, time: time, hasTime: hasTime, accuracy: accuracy, at: first, "\(parent).\(name)[\(index)]")
      }
      return true
    }
    return part
  }
}
