internal import GodwitModel

/// What a column or a member of a point is for, by the names that people give it.
struct PointField: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case time, timeOfDay, latitude, longitude, place, altitude, horizontalAccuracy, verticalAccuracy, speed, speedAccuracy
    case course, courseAccuracy, batteryLevel, batteryState, motion, wifi, wifiBSSID, device, uniqueID, tripID, id, extras
  }
  var kind: Kind
  /// What a number is multiplied with.
  var factor = 1.0
  /// Of several that say the same the lowest is taken, and the others are kept beside.
  var rank = 0

  /// Metres in a foot, metres per second in a mile per hour, a knot and a kilometre per hour.
  static let foot = 0.3048
  static let milePerHour = 0.44704
  static let knot = 1852.0 / 3600
  static let kilometrePerHour = 1 / 3.6

  /// - Parameter name: of a column or a member, with or without a unit: `lat`, `Speed (km/h)`, `altitude_ft`.
  init?(_ name: String) {
    let words = Self.words(name)
    if let found = Self.table[words.joined()] {
      self = found
      return
    }
    // The last word may be a unit.
    guard words.count > 1, let unit = Self.units[words[words.count - 1]],
      var found = Self.table[words.dropLast().joined()], unit.kinds.contains(found.kind)
    else { return nil }
    found.factor = unit.factor
    self = found
  }

  private init(_ kind: Kind, _ factor: Double = 1, _ rank: Int = 0) {
    self.kind = kind
    self.factor = factor
    self.rank = rank
  }

  /// In small letters, cut where something stands that is no letter or digit, and before capitals: `fixTime`, `fix_time`.
  private static func words(_ name: String) -> [String] {
    var words: [String] = []
    var isCut = true
    var wasCapital = false
    for character in name.unicodeScalars {
      let isCapital = character.properties.isUppercase
      guard character.properties.isAlphabetic || character.properties.numericType != nil else {
        // km/h and m/s are one word.
        if character != "/" { isCut = true }
        wasCapital = false
        continue
      }
      if isCut || (isCapital && !wasCapital && !name.contains("/")) { words.append("") }
      words[words.count - 1] += character.properties.lowercaseMapping
      (isCut, wasCapital) = (false, isCapital)
    }
    return words
  }

  private static let units: [String: (factor: Double, kinds: Set<Kind>)] = {
    let lengths: Set<Kind> = [.altitude, .horizontalAccuracy, .verticalAccuracy]
    let speeds: Set<Kind> = [.speed, .speedAccuracy]
    var units: [String: (factor: Double, kinds: Set<Kind>)] = [:]
    for word in ["m", "meter", "meters", "metre", "metres"] { units[word] = (1, lengths) }
    for word in ["ft", "feet", "foot"] { units[word] = (foot, lengths) }
    for word in ["km/h", "kmh", "kph", "kmph"] { units[word] = (kilometrePerHour, speeds) }
    for word in ["ms", "m/s", "mps"] { units[word] = (1, speeds) }
    for word in ["mph", "mi/h"] { units[word] = (milePerHour, speeds) }
    for word in ["knots", "knot", "kn", "kt", "kts"] { units[word] = (knot, speeds) }
    for word in ["deg", "degrees", "°"] { units[word] = (1, [.latitude, .longitude, .course, .courseAccuracy]) }
    for word in ["utc", "gmt", "z", "s", "ms", "unix", "epoch"] where units[word] == nil { units[word] = (1, [.time]) }
    for word in ["percent", "pct"] { units[word] = (0.01, [.batteryLevel]) }
    return units
  }()

  // By the names without what stands between their words.
  private static let table: [String: PointField] = {
    var table: [String: PointField] = [:]
    func add(_ names: String, _ field: PointField) { for name in names.split(separator: " ") { table[String(name)] = field } }
    add(
      "time timestamp datetime date fixtime gpstime utctime recordedat measuredat tst isotime isotst timeutc dateutc",
      .init(.time))
    add("when timestampms epoch unixtime unixtimestamp gpsdatetime localtime", .init(.time))
    add("devicetime", .init(.time, 1, 1))
    add("createdat servertime starttime begin", .init(.time, 1, 2))
    add("timeofday hour", .init(.timeOfDay))
    add("latitude lat y latdeg latitudedeg gpslatitude ycoord positionlat", .init(.latitude))
    add("longitude lon lng long x londeg longitudedeg gpslongitude xcoord positionlong", .init(.longitude))
    add("geom geometry lonlat wkt point", .init(.place, 1, 1))
    add("altitude alt ele elevation height altitudem gpsaltitude", .init(.altitude))
    add("accuracy acc horizontalaccuracy hacc haccuracy gpsaccuracy precision accuracymeters", .init(.horizontalAccuracy))
    add("verticalaccuracy vac vacc vaccuracy altitudeaccuracy", .init(.verticalAccuracy))
    add("speed velocity gpsspeed speedms", .init(.speed))
    add("speedkmh", .init(.speed, kilometrePerHour))
    add("speedaccuracy sacc", .init(.speedAccuracy))
    add("course heading bearing cog track direction azimuth", .init(.course))
    add("courseaccuracy headingaccuracy bearingaccuracy", .init(.courseAccuracy))
    add("batterylevel", .init(.batteryLevel))
    add("battery batt batterypercent batterypercentage", .init(.batteryLevel, 0.01))
    add("batterystate batterystatus bs", .init(.batteryState))
    add("motion motions", .init(.motion))
    add("wifi ssid wifissid wifiname", .init(.wifi))
    add("bssid wifibssid", .init(.wifiBSSID))
    add("deviceid trackerid devicename device", .init(.device))
    add("uniqueid", .init(.uniqueID))
    add("tripid", .init(.tripID))
    add("recordid", .init(.id))
    add("extras", .init(.extras))
    return table
  }()
}
