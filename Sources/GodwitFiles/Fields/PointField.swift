internal import GodwitModel

/// The meaning of a column or a member of a point, found by its common names.
struct PointField: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case time, timeOfDay, latitude, longitude, place, altitude, horizontalAccuracy, verticalAccuracy, speed, speedAccuracy
    case course, courseAccuracy, batteryLevel, batteryState, motion, wifi, wifiBSSID, device, uniqueID, tripID, id, extras
    case northSouth, eastWest
  }
  var kind: Kind
  /// The factor to the unit of a record.
  var factor = 1.0
  /// The priority among several fields of the same kind: the lowest rank is used, and the others are stored in the extras.
  var rank = 0

  /// The meaning of small numbers in a time column, according to its name: seconds since 1970, or days since 1899-12-30 as
  /// in a spreadsheet.
  enum Clock: Sendable, Hashable { case unix, days }
  var clock: Clock?

  /// The length of a foot in metres, and a mile per hour, a knot and a kilometre per hour in metres per second.
  static let foot = 0.3048
  static let milePerHour = 0.44704
  static let knot = 1852.0 / 3600
  static let kilometrePerHour = 1 / 3.6

  /// - Parameter name: the name of a column or a member, with or without a unit: `lat`, `Speed (km/h)`, `altitude_ft`.
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

  init(_ kind: Kind, _ factor: Double = 1, _ rank: Int = 0) {
    self.kind = kind
    self.factor = factor
    self.rank = rank
  }

  /// Splits a name into lowercase words: at characters other than letters and digits, and before capitals, as in `fixTime`
  /// and `fix_time`.
  private static func words(_ name: String) -> [String] {
    var words: [String] = []
    var isCut = true
    var wasCapital = false
    for character in name.unicodeScalars {
      let isCapital = character.properties.isUppercase
      guard character.properties.isAlphabetic || character.properties.numericType != nil else {
        // km/h and m/s are single words.
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

  private typealias Unit = (factor: Double, kinds: Set<Kind>)

  private static let units: [String: Unit] = {
    let lengths: Set<Kind> = [.altitude, .horizontalAccuracy, .verticalAccuracy]
    let speeds: Set<Kind> = [.speed, .speedAccuracy]
    var units: [String: Unit] = [:]
    for word in ["m", "meter", "meters", "metre", "metres"] { units[word] = (1, lengths) }
    for word in ["ft", "feet", "foot"] { units[word] = (foot, lengths) }
    for word in ["km/h", "kmh", "kph", "kmph"] { units[word] = (kilometrePerHour, speeds) }
    for word in ["ms", "m/s", "mps"] { units[word] = (1, speeds) }
    for word in ["mph", "mi/h"] { units[word] = (milePerHour, speeds) }
    for word in ["knots", "knot", "kn", "kt", "kts"] { units[word] = (knot, speeds) }
    for word in ["deg", "degrees", "°"] { units[word] = (1, [.latitude, .longitude, .course, .courseAccuracy]) }
    for word in ["utc", "gmt", "z", "s", "ms", "unix", "epoch"] where units[word] == nil { units[word] = (1, [.time]) }
    for word in ["percent", "pct"] { units[word] = (0.01, [.batteryLevel]) }
    // Integers of Google, and of programs that use the same format.
    units["e7"] = (1e-7, [.latitude, .longitude])
    return units
  }()

  /// Units that occur after numbers and not in headings.
  private static let cellUnits: [String: Unit] = {
    let lengths: Set<Kind> = [.altitude, .horizontalAccuracy, .verticalAccuracy]
    let speeds: Set<Kind> = [.speed, .speedAccuracy]
    var units: [String: Unit] = [:]
    for word in ["masl", "mamsl", "mmsl", "mnn", "münn", "mümnn", "müm", "mtr"] { units[word] = (1, lengths) }
    for word in ["km", "kilometer", "kilometers", "kilometres"] { units[word] = (1000, lengths) }
    // The international mile.
    for word in ["mi", "mile", "miles"] { units[word] = (1609.344, lengths) }
    for word in ["km/hr", "km/std", "kilometersperhour"] { units[word] = (kilometrePerHour, speeds) }
    for word in ["m/sec", "meterspersecond"] { units[word] = (1, speeds) }
    for word in ["milesperhour"] { units[word] = (milePerHour, speeds) }
    for word in ["ft/s", "fps"] { units[word] = (foot, speeds) }
    units["%"] = (0.01, [.batteryLevel])
    return units
  }()

  /// Returns the factor of a unit after a number; `nil` if the kind of field does not have this unit.
  static func factor(of unit: String, for kind: Kind) -> Double? {
    let found = units[unit] ?? cellUnits[unit]
    return found.flatMap { $0.kinds.contains(kind) ? $0.factor : nil }
  }

  /// The units of the kind, for an error.
  var expectedUnits: String {
    switch kind {
    case .speed, .speedAccuracy: "m/s, km/h, mph or knots"
    default: "m, km, ft or mi"
    }
  }

  /// Whether a number with an unknown unit is a fault and not a text, because the heading has no other meaning.
  var isStrict: Bool {
    switch kind {
    case .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy: true
    default: false
    }
  }

  // The fields by name, without the characters between words.
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
    add("latitudee7 late7", .init(.latitude, 1e-7))
    add("longitudee7 lone7 lnge7 longe7", .init(.longitude, 1e-7))
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
