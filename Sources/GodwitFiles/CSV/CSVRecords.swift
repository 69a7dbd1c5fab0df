internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads tables of points as text: a line of headings, then a point on each line. Fields are separated by commas,
/// semicolons or tabs. Fields that contain a separator are quoted (RFC 4180).
///
/// Lines with ambiguous dates are held until a date in the file proves the order of day and month.
struct CSVRecords: RecordLines {
  static let maximumLine = 1 << 20
  /// Maximum size in bytes of lines with ambiguous dates.
  private static let maximumWait = 16 << 20

  private var layout: CSVLayout?
  private var extras = ExtrasText()
  private var order: DateOrder?
  /// Whether numbers in the column of times are days, as in a spreadsheet; `nil` until the first number.
  private var countsDays: Bool?
  /// The held lines, in order, with a flag for lines with an open quotation mark.
  private var pending: [(line: [UInt8], place: FormatError.Place, isUnclosed: Bool)] = []
  private var pendingBytes = 0
  private(set) var fault: FormatError?

  init(_ options: RecordOptions = RecordOptions()) { order = options.dateOrder }

  /// Whether the first line of a file has the headings of a table of points.
  static func recognizes(_ head: ArraySlice<UInt8>) -> Bool {
    let line = head.prefix(8192).prefix { $0 != 0x0A && $0 != 0x0D }
    return line.withUnsafeBufferPointer { CSVLayout($0) != nil }
  }

  var heading: String? {
    get { layout.map { CSVFields.joined($0.names, $0.separator) } }
    set { layout = newValue.flatMap { text in Array(text.utf8).withUnsafeBufferPointer { CSVLayout($0) } } }
  }

  var decisions: LineDecisions? {
    get { LineDecisions(dateOrder: order, countsDays: countsDays) }
    set {
      order = newValue?.dateOrder ?? order
      countsDays = newValue?.countsDays
    }
  }

  var waiting: FormatError.Place? { pending.first?.place }

  func quotation(of line: UnsafeBufferPointer<UInt8>, isOpen: Bool) -> LineQuotation {
    guard line.contains(UInt8(ascii: "\"")) else { return isOpen ? .open : .closed }
    return CSVFields.quotation(of: line, layout?.separator ?? UInt8(ascii: ","), isOpen: isOpen)
  }

  /// The longest padding of a field.
  private static let maximumPadding = 16

  /// Removes padding: Columbus' loggers pad fields with zero bytes. A block that was never written is longer and includes
  /// separators; then the result is `nil`.
  func unpadded(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let layout else { return nil }
    var (text, index): ([UInt8], Int) = ([], 0)
    while index < line.count {
      guard line[index] == 0 else {
        text.append(line[index])
        index += 1
        continue
      }
      let end: Int = line[index...].firstIndex { $0 != 0 } ?? line.count
      guard end - index <= Self.maximumPadding, end == line.count || line[end] == layout.separator || line[end] == 0x0D else {
        return nil
      }
      index = end
    }
    return text
  }

  mutating func read(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink) {
    guard let layout else {
      layout = CSVLayout(line)
      if layout == nil { sink.skips.add("expected headings such as time,latitude,longitude", at: place) }
      return
    }
    guard fault == nil else { return }
    if !pending.isEmpty {
      order = provenOrder(line, layout)
      guard order != nil else { return wait(line, at: place) }
      let waited = pending
      (pending, pendingBytes) = ([], 0)
      for (line, place, isUnclosed) in waited {
        if isUnclosed {
          sink.skips.add(LineQuotation.unclosed, at: place)
        } else {
          line.withUnsafeBufferPointer { _ = read($0, layout, at: place, into: &sink) }
        }
      }
    }
    if !read(line, layout, at: place, into: &sink) { wait(line, at: place) }
  }

  mutating func readUnclosed(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, into sink: inout RecordSink) {
    if layout == nil {
      // The last heading ends at the end of the line.
      read(line, at: place, into: &sink)
    } else if pending.isEmpty {
      sink.skips.add(LineQuotation.unclosed, at: place)
    } else {
      // A checkpoint is before the held lines, so that lines that are skipped after it are counted together with them.
      wait(line, at: place, isUnclosed: true)
    }
  }

  private mutating func wait(_ line: UnsafeBufferPointer<UInt8>, at place: FormatError.Place, isUnclosed: Bool = false) {
    pending.append((Array(line), place, isUnclosed))
    pendingBytes += line.count
    if pendingBytes > Self.maximumWait { refuse() }
  }

  mutating func finish(into sink: inout RecordSink) { if !pending.isEmpty { refuse() } }

  /// Ends the reading, because no date proves the order of day and month.
  private mutating func refuse() {
    guard fault == nil, let layout, let first = pending.first else { return }
    var shown = ""
    first.line.withUnsafeBufferPointer { line in
      forEachTime(line, layout) { cell, _ in
        if shown.isEmpty, CellTime.read(cell, order: nil) == .undecided { shown = String(decoding: cell, as: UTF8.self) }
      }
    }
    fault = FormatError(
      format: "CSV", place: first.place,
      reason: "\(shown.debugDescription) can be day/month or month/day, and no date in the file decides it; give "
        + "--date-order dmy or --date-order mdy (date_order=dmy or mdy in the API)")
    (pending, pendingBytes) = ([], 0)
  }

  private func forEachTime(
    _ line: UnsafeBufferPointer<UInt8>, _ layout: CSVLayout, _ body: (UnsafeBufferPointer<UInt8>, PointField) -> Void
  ) {
    var column = 0
    CSVFields.split(line, layout.separator) { cell in
      if column < layout.fields.count, let field = layout.fields[column], field.kind == .time { body(cell, field) }
      column += 1
    }
  }

  private func provenOrder(_ line: UnsafeBufferPointer<UInt8>, _ layout: CSVLayout) -> DateOrder? {
    var found: DateOrder?
    forEachTime(line, layout) { cell, _ in if found == nil { found = CellTime.order(cell) } }
    return found
  }

  /// - Returns: `false` if the line was not read, because its date is ambiguous.
  private mutating func read(
    _ line: UnsafeBufferPointer<UInt8>, _ layout: CSVLayout, at place: FormatError.Place, into sink: inout RecordSink
  ) -> Bool {
    var builder = PointBuilder()
    var isDecided = true
    extras.clear()
    var column = 0
    var hasDecimalCommas: Bool?
    CSVFields.split(line, layout.separator) { cell in
      defer { column += 1 }
      guard column < layout.fields.count else { return }
      let cell = layout.isOwn ? CSVFormula.text(cell) : cell
      guard let field = layout.fields[column] else {
        return extras.add(layout.names[column], String(decoding: cell, as: UTF8.self))
      }
      let isTaken: Bool
      switch field.kind {
      case .time: isTaken = parseTime(cell, field, layout, &builder, &isDecided)
      case .northSouth, .eastWest:
        isTaken = builder.set(field, cell)
        if !cell.contains(where: { $0 > 0x20 }) {
          builder.reject("there is no \(field.kind == .northSouth ? "N or S" : "E or W")")
        }
      case _ where field.isNumber:
        if DecimalParser.double(cell) != nil || !cell.contains(where: { $0 > 0x20 }) {
          isTaken = builder.set(field, cell)
        } else {
          let commas = hasDecimalCommas ?? Self.hasDecimalCommas(line, layout)
          hasDecimalCommas = commas
          isTaken = Self.read(cell, field, hasDecimalCommas: commas, &builder)
        }
      default: isTaken = builder.set(field, cell)
      }
      if !isTaken { extras.add(layout.names[column], String(decoding: cell, as: UTF8.self)) }
    }
    guard isDecided else { return false }
    if builder.isWithoutTime {
      sink.withoutTime += 1
    } else if let fault = builder.fault {
      sink.skips.add(fault, at: place)
    } else if let record = builder.record(extras: extras.text) {
      sink.records.append(record)
    }
    return true
  }

  /// Reads a number with a unit, a hemisphere or separators.
  private static func read(
    _ cell: UnsafeBufferPointer<UInt8>, _ field: PointField, hasDecimalCommas: Bool, _ builder: inout PointBuilder
  ) -> Bool {
    switch CellNumber.read(cell, field, hasDecimalCommas: hasDecimalCommas) {
    case .number(let value): return builder.set(field, number: value)
    case .other: return builder.set(field, cell)
    case .unknown(let reason):
      builder.reject(reason)
      return true
    }
  }

  /// Whether a comma in the numbers of a line is a decimal separator: always if the fields have another separator,
  /// otherwise if the latitude or longitude contains a comma, because these values are never in the thousands.
  private static func hasDecimalCommas(_ line: UnsafeBufferPointer<UInt8>, _ layout: CSVLayout) -> Bool {
    if layout.separator != UInt8(ascii: ",") { return true }
    var (found, column) = (false, 0)
    CSVFields.split(line, layout.separator) { cell in
      defer { column += 1 }
      guard column < layout.fields.count, let kind = layout.fields[column]?.kind else { return }
      if kind == .latitude || kind == .longitude, cell.contains(UInt8(ascii: ",")) { found = true }
    }
    return found
  }

  private mutating func parseTime(
    _ cell: UnsafeBufferPointer<UInt8>, _ field: PointField, _ layout: CSVLayout, _ builder: inout PointBuilder,
    _ isDecided: inout Bool
  ) -> Bool {
    if let milliseconds = RFC3339.milliseconds(utf8: cell).flatMap(TimestampParser.valid) {
      return builder.set(field, milliseconds: milliseconds)
    }
    if let number = DecimalParser.double(cell), !Self.isBasicDate(cell) {
      return parseClock(number, cell, field, layout, &builder)
    }
    if order == nil { order = CellTime.order(cell) }
    switch CellTime.read(cell, order: order) {
    case .time(let milliseconds): return builder.set(field, milliseconds: milliseconds)
    case .timeOfDay(let milliseconds):
      builder.set(timeOfDay: milliseconds)
      return true
    case .undecided:
      isDecided = false
      return true
    case .none: return builder.set(field, cell)
    }
  }

  /// Whether a cell is a date such as `20240101` or `20240101100000`, and not a number of seconds or milliseconds since
  /// 1970.
  private static func isBasicDate(_ cell: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = cell.drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
    guard text.count == 8 || text.count == 14, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return text.starts(with: "19".utf8) || text.starts(with: "20".utf8)
  }

  /// The length of a day in milliseconds, and the day number of 1970-01-01 in spreadsheets.
  private static let day = Double(DayLength.milliseconds)
  private static let spreadsheetEpoch = 25_569.0
  /// Smaller numbers of seconds since 1970 are before March 1973, when satellite navigation did not exist.
  private static let firstSeconds = 1e8

  /// Reads a number in a column of times.
  private mutating func parseClock(
    _ number: Double, _ cell: UnsafeBufferPointer<UInt8>, _ field: PointField, _ layout: CSVLayout, _ builder: inout PointBuilder
  ) -> Bool {
    let text = String(decoding: cell.prefix(40), as: UTF8.self)
    if layout.hasShortDates, field.kind == .time, cell.count == 6 {
      // DATE is year, month, day, and TIME is hour, minute, second, both without separators.
      let isDate = field.clock == .days
      let digits = Array((isDate ? "20" : "20000101").utf8) + cell
      let found = digits.withUnsafeBufferPointer { CellTime.read($0, order: nil) }
      if isDate, case .time(let milliseconds) = found { return builder.set(field, milliseconds: milliseconds) }
      let time = (Array("20000101T".utf8) + cell).withUnsafeBufferPointer { CellTime.read($0, order: nil) }
      if !isDate, case .time(let milliseconds) = time {
        builder.set(timeOfDay: milliseconds % Int64(Self.day))
        return true
      }
      builder.reject(time: text)
      return false
    }
    guard abs(number) < Self.firstSeconds else { return builder.set(field, cell) }
    if countsDays == nil {
      // Whole numbers under another heading may be seconds since the start of a recording.
      let isRecent = (36_526..<55_153).contains(number) && number != number.rounded()
      countsDays = field.clock != .unix && (field.clock == .days || isRecent)
    }
    guard countsDays == true, field.clock != .unix, number >= Self.spreadsheetEpoch,
      let milliseconds = TimestampParser.valid(Int64(((number - Self.spreadsheetEpoch) * Self.day).rounded()))
    else {
      builder.reject(
        "\(text.debugDescription) is not a time: it is too small for seconds since 1970; expected one such as 2026-11-20T08:30:00Z"
      )
      return true
    }
    return builder.set(field, milliseconds: milliseconds)
  }
}

extension PointField {
  /// Whether the values of the field are numbers.
  var isNumber: Bool {
    switch kind {
    case .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .speed, .speedAccuracy, .course,
      .courseAccuracy, .batteryLevel:
      true
    default: false
    }
  }
}

/// Splits and joins the fields of a line of CSV.
enum CSVFields {
  /// Calls a closure with each field, without its quotation marks.
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
        // Text between the closing quotation mark and the separator is ignored.
        while index < line.count, line[index] != separator { index += 1 }
        text.withUnsafeBufferPointer(body)
        guard index < line.count else { return }
        start = index + 1
      } else {
        let end: Int = line[start...].firstIndex(of: separator) ?? line.count
        body(UnsafeBufferPointer(rebasing: line[start..<end]))
        guard end < line.count else { return }
        start = end + 1
      }
    }
  }

  /// Returns the state of the quotation marks at the end of a line. - Parameter isOpen: whether a quotation mark of an
  /// earlier line is open at the beginning.
  static func quotation(of line: UnsafeBufferPointer<UInt8>, _ separator: UInt8, isOpen: Bool) -> LineQuotation {
    var (isQuoted, isOfEarlier, isStart, index) = (isOpen, isOpen, true, 0)
    while index < line.count {
      let isQuote = line[index] == UInt8(ascii: "\"")
      if isQuoted {
        let isDoubled = isQuote && index + 1 < line.count && line[index + 1] == UInt8(ascii: "\"")
        if isDoubled {
          index += 1
        } else if isQuote {
          isQuoted = false
          let next = line[(index + 1)...].first { $0 != 0x20 }
          if isOfEarlier, let next, next != separator { return .contradictory }
          isOfEarlier = false
        }
      } else if isStart, isQuote {
        isQuoted = true
      }
      isStart = !isQuoted && line[index] == separator
      index += 1
    }
    return isQuoted ? .open : .closed
  }

  static func joined(_ fields: [String], _ separator: UInt8) -> String {
    fields.map { quoted($0) }.joined(separator: String(decoding: [separator], as: UTF8.self))
  }

  /// Returns a field in the form in which it is written, with quotation marks if its content requires them.
  static func quoted(_ text: String) -> String {
    text.utf8.contains { [0x22, 0x2C, 0x3B, 0x09, 0x0A, 0x0D].contains($0) } || text.first == " " || text.last == " "
      ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
  }
}
