internal import GodwitModel
internal import GodwitText
internal import GodwitWire

/// The layout of a table, read from its headings.
struct CSVLayout {
  var separator: UInt8
  var names: [String]
  var fields: [PointField?]
  /// Whether dates have six digits, as written by Columbus' loggers: year, month, day.
  let hasShortDates: Bool
  /// Whether Godwit wrote the table, with an apostrophe before texts that would be formulas.
  let isOwn: Bool

  /// Reads a line of headings; `nil` if it does not belong to a table of points.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    guard let table = Self.split(line) else { return nil }
    (separator, names) = table
    // A report of Traccar has speeds in knots.
    let isTraccar = names.contains("fixTime") && names.contains("deviceId")
    var fields = names.map { PointField(heading: $0) }
    for index in fields.indices where isTraccar && fields[index]?.kind == .speed { fields[index]?.factor = PointField.knot }
    hasShortDates = names.contains("LATITUDE N/S")
    isOwn = names == CSVWriter.names
    // Columbus' loggers write km/h without a unit. Other programs use only the names of their position columns.
    let isColumbus = hasShortDates && names.starts(with: ["INDEX", "TAG", "DATE", "TIME"])
    for index in fields.indices where isColumbus && names[index] == "SPEED" {
      fields[index]?.factor = PointField.kilometrePerHour
    }
    self.fields = fields
    let kinds = Set(fields.compactMap { $0?.kind })
    guard kinds.contains(.place) || (kinds.contains(.latitude) && kinds.contains(.longitude)) else { return nil }
  }

  /// Returns the separator of a line and the texts between separators; `nil` if it is not a line of a table.
  private static func split(_ line: UnsafeBufferPointer<UInt8>) -> (separator: UInt8, names: [String])? {
    // Headings have no braces. Such a line is JSON, or a message after a time.
    guard !line.contains(UInt8(ascii: "{")) else { return nil }
    let counts = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].map { byte in (byte, line.count { $0 == byte }) }
    guard let maximum = counts.max(by: { $0.1 < $1.1 }), maximum.1 > 0 else { return nil }
    var names: [String] = []
    CSVFields.split(line, maximum.0) { names.append(String(decoding: $0, as: UTF8.self).trimmed) }
    return (maximum.0, names)
  }

  /// Returns the reason for which a file that begins like a table cannot be read, as a sentence without its full stop;
  /// `nil` for other files.
  static func rejection(of head: ArraySlice<UInt8>) -> String? {
    let line = head.prefix(8192).prefix { $0 != 0x0A && $0 != 0x0D }
    guard let cells = line.withUnsafeBufferPointer({ split($0) })?.names, cells.count >= 2 else { return nil }
    let example = "time,latitude,longitude"
    let numbers = cells.count { DecimalParser.double($0) != nil }
    if numbers >= 2 || (numbers >= 1 && numbers + 1 >= cells.count) {
      return "it is a table without a header; add a first line such as \(example) with the names of the columns"
    }
    guard cells.allSatisfy({ $0.count <= 60 && !$0.contains("<") }), cells.count >= 3 else { return nil }
    let shown = cells.prefix(8).joined(separator: ", ")
    return "it is a table without columns of latitude and longitude (its first line is \(shown.debugDescription)); "
      + "name them in a first line such as \(example)"
  }
}

extension PointField {
  /// - Parameter name: the heading of a column. Headings of tables vary more than names of JSON members.
  init?(heading name: String) {
    let word = String(
      String.UnicodeScalarView(
        name.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }))
    if let kind = Self.headings[word] {
      self.init(kind)
    } else {
      self.init(name)
    }
    guard kind == .time else { return }
    if Self.unixWords.contains(where: { word.contains($0) }) {
      clock = .unix
    } else if ["date", "datum", "excel", "serial", "fecha"].contains(where: { word.contains($0) }) {
      clock = .days
    }
  }

  /// Parts of headings of times since 1970.
  private static let unixWords = ["unix", "epoch", "tst", "timestampms", "timems", "millis"]

  /// German, Spanish, Italian and French headings, and headings of hemispheres, without the characters between their words.
  private static let headings: [String: Kind] = {
    var table: [String: Kind] = [:]
    func add(_ names: String, _ kind: Kind) { for name in names.split(separator: " ") { table[String(name)] = kind } }
    add("ns nsindicator northsouth latitudehemisphere lathemisphere latdir latitudedir latitudedirection latref", .northSouth)
    add("latituderef gpslatituderef latns nsind latitudeindicator hemispherens", .northSouth)
    add("ew ewindicator eastwest longitudehemisphere lonhemisphere londir longitudedir longitudedirection lonref", .eastWest)
    add("longituderef gpslongituderef lonew ewind longitudeindicator hemisphereew longref longdir", .eastWest)
    add("latitudens breitengrad breite geografischebreite geographischebreite latitud latitudine", .latitude)
    add("longitudeew längengrad laengengrad länge laenge geografischelänge geographischelänge longitud longitudine", .longitude)
    add("zeit zeitpunkt zeitstempel datum uhrzeit datumuhrzeit datumzeit fecha fechahora hora heure horodatage", .time)
    // Headings of gpsbabel.
    add("utcd utct utcdate utcdatetime isodatetime isodate gpsdate datetimeutc", .time)
    add("exceldate exceldatetime exceltime serialdate", .time)
    add("höhe hoehe altitud altitudine höheüm", .altitude)
    add("genauigkeit precisión précision precisione", .horizontalAccuracy)
    add("geschwindigkeit velocidad velocità vitesse", .speed)
    add("kurs richtung peilung rumbo", .course)
    add("gerät geraet", .device)
    return table
  }()
}
