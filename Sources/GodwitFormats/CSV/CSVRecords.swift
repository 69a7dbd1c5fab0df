internal import GodwitModel

/// Tables of points in text: a line of headings, which tell what is in the columns, then a point on each line. Commas,
/// semicolons or tabs between the fields, quotation marks round those that have one in them (RFC 4180).
struct CSVRecords: RecordLines {
  static let longestLine = 1 << 20

  private var layout: Layout?
  private var extras = ExtrasText()

  /// What the headings say.
  struct Layout {
    var separator: UInt8
    var names: [String]
    var fields: [PointField?]

    /// `nil`: these are no headings of a table of points.
    init?(_ line: UnsafeBufferPointer<UInt8>) {
      let counts = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].map { byte in (byte, line.count { $0 == byte }) }
      guard let most = counts.max(by: { $0.1 < $1.1 }), most.1 > 0 else { return nil }
      separator = most.0
      var names: [String] = []
      CSVFields.split(line, separator) { names.append(CommaTags.trimmed(String(decoding: $0, as: UTF8.self))) }
      self.names = names
      // Traccar's report, whose speeds are knots.
      let isTraccar = names.contains("fixTime") && names.contains("deviceId")
      var fields = names.map { PointField($0) }
      for index in fields.indices where isTraccar && fields[index]?.kind == .speed { fields[index]?.factor = PointField.knot }
      self.fields = fields
      let kinds = Set(fields.compactMap { $0?.kind })
      guard kinds.contains(.place) || (kinds.contains(.latitude) && kinds.contains(.longitude)) else { return nil }
    }
  }

  /// Whether the first line of a file is headings of a table of points.
  static func recognizes(_ head: ArraySlice<UInt8>) -> Bool {
    let line = head.prefix(8192).prefix { $0 != 0x0A && $0 != 0x0D }
    return line.withUnsafeBufferPointer { Layout($0) != nil }
  }

  var heading: String? {
    get { layout.map { CSVFields.joined($0.names, $0.separator) } }
    set { layout = newValue.flatMap { text in Array(text.utf8).withUnsafeBufferPointer { Layout($0) } } }
  }

  func isOpen(_ line: UnsafeBufferPointer<UInt8>) -> Bool { line.count { $0 == UInt8(ascii: "\"") } % 2 == 1 }

  mutating func take(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink) {
    guard let layout else {
      layout = Layout(line)
      if layout == nil { sink.skips.add("expected headings such as time,latitude,longitude", at: place) }
      return
    }
    var draft = PointDraft()
    extras.clear()
    var column = 0
    CSVFields.split(line, layout.separator) { value in
      defer { column += 1 }
      guard column < layout.fields.count else { return }
      if let field = layout.fields[column] {
        // A comma in a number is a decimal point where it is not between the fields.
        if layout.separator != UInt8(ascii: ","), field.isNumber, value.contains(UInt8(ascii: ",")) {
          let dotted = value.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
          if dotted.withUnsafeBufferPointer({ draft.take(field, $0) }) { return }
        } else if draft.take(field, value) {
          return
        }
      }
      extras.add(layout.names[column], String(decoding: value, as: UTF8.self))
    }
    if draft.isWithoutTime {
      sink.withoutTime += 1
    } else if let fault = draft.fault {
      sink.skips.add(fault, at: place)
    } else if let record = draft.record(extras: extras.text) {
      sink.records.append(record)
    }
  }
}

extension PointField {
  /// Whether its values are numbers.
  var isNumber: Bool {
    switch kind {
    case .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy, .course,
      .courseAccuracy, .batteryLevel:
      true
    default: false
    }
  }
}

/// The fields of a line of CSV.
enum CSVFields {
  /// Gives the fields one by one, without their quotation marks.
  static func split(_ line: UnsafeBufferPointer<UInt8>, _ separator: UInt8, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    var start = 0
    while true {
      if start < line.count, line[start] == UInt8(ascii: "\"") {
        var text: [UInt8] = []
        var index = start + 1
        while index < line.count {
          if line[index] == UInt8(ascii: "\"") {
            guard index + 1 < line.count, line[index + 1] == UInt8(ascii: "\"") else { break }
            index += 1
          }
          text.append(line[index])
          index += 1
        }
        // What stands between the closing mark and the separator belongs to nothing.
        while index < line.count, line[index] != separator { index += 1 }
        text.withUnsafeBufferPointer(body)
        guard index < line.count else { return }
        start = index + 1
      } else {
        let end = line[start...].firstIndex(of: separator) ?? line.count
        body(UnsafeBufferPointer(rebasing: line[start..<end]))
        guard end < line.count else { return }
        start = end + 1
      }
    }
  }

  static func joined(_ fields: [String], _ separator: UInt8) -> String {
    fields.map { quoted($0) }.joined(separator: String(decoding: [separator], as: UTF8.self))
  }

  /// A field as it is written: in quotation marks where something in it asks for them.
  static func quoted(_ text: String) -> String {
    text.utf8.contains { [0x22, 0x2C, 0x3B, 0x09, 0x0A, 0x0D].contains($0) } || text.first == " " || text.last == " "
      ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
  }
}
