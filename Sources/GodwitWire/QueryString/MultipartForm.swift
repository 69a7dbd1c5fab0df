public import GodwitText

/// A form with several parts, `multipart/form-data` (RFC 7578), such as µlogger sends with a photo.
///
/// Parts with text become fields. Of a file only the name, type and size are kept; its bytes are skipped and not copied.
public struct MultipartForm: Sendable {
  static let format = "multipart form"

  /// A part with a file.
  public struct File: Sendable, Hashable {
    /// The name of the part.
    public var name: String
    /// The media type in the form.
    public var type: String
    /// The size of the file in bytes.
    public var size: Int
  }

  /// The names and values of the fields, in the order of the form.
  public private(set) var fields: [(name: String, value: String)] = []
  /// The skipped files.
  public private(set) var files: [File] = []

  /// Maximum number of parts of a form.
  public static let maximumParts = 256
  /// Maximum size in bytes of the headers of a part, and of the text before the first part.
  public static let maximumHeader = 8 << 10
  /// Maximum size of the value of a field in bytes.
  public static let maximumField = 64 << 10

  /// Reads a form.
  /// - Parameters:
  ///   - body: the body as received.
  ///   - contentType: the header `Content-Type`, which contains the boundary.
  /// - Throws: `FormatError` with the offset of the fault.
  public init(_ body: [UInt8], contentType: String) throws(FormatError) {
    guard let boundary = Self.parameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count) else {
      throw Self.error("the Content-Type names no boundary of 1 to 70 characters", at: 0)
    }
    let result = body.withUnsafeBufferPointer { bytes -> Result<MultipartForm, FormatError> in
      var reader = MultipartReader(bytes, delimiter: Array("--\(boundary)".utf8))
      do throws(FormatError) { return .success(try reader.form()) } catch { return .failure(error) }
    }
    self = try result.get()
  }

  fileprivate init() {}

  fileprivate mutating func add(field name: String, _ value: String) { fields.append((name, value)) }
  fileprivate mutating func add(_ file: File) { files.append(file) }
  fileprivate var parts: Int { fields.count + files.count }

  fileprivate static func error(_ reason: String, at byte: Int) -> FormatError {
    FormatError(format: format, place: FormatError.Place(byte: byte), reason: reason)
  }

  /// Returns a parameter of a header such as `form-data; name="lat"; filename="a.jpg"`; `nil` if it is missing.
  static func parameter(_ name: String, of header: String) -> String? {
    var rest = Substring(header)
    while let semicolon = rest.firstIndex(of: ";") {
      rest = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
      guard let equals = rest.firstIndex(of: "=") else { return nil }
      let word = rest[..<equals]
      rest = rest[rest.index(after: equals)...]
      var value = ""
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
          value.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
        }
      } else {
        value = String(rest.prefix { $0 != ";" && $0 != " " && $0 != "\t" })
      }
      if word.lowercased() == name { return value }
    }
    return nil
  }
}

/// Reads the parts of a form.
private struct MultipartReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let delimiter: [UInt8]
  private var position = 0

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  init(_ bytes: UnsafeBufferPointer<UInt8>, delimiter: [UInt8]) {
    self.bytes = bytes
    self.delimiter = delimiter
  }

  mutating func form() throws(FormatError) -> MultipartForm {
    var form = MultipartForm()
    guard let first = nextDelimiter(from: 0), first.end <= MultipartForm.maximumHeader else {
      throw MultipartForm.error("the boundary of the Content-Type is not in the body", at: 0)
    }
    position = first.next
    while try !isClosed() {
      guard form.parts < MultipartForm.maximumParts else {
        throw MultipartForm.error("expected at most \(MultipartForm.maximumParts) parts", at: position)
      }
      try part(into: &form)
    }
    return form
  }

  /// Reads the text after a delimiter. - Returns: `true` for two hyphens, which end the form; `false` for the end of the
  /// line, which begins a part.
  private mutating func isClosed() throws(FormatError) -> Bool {
    if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "-"), bytes[position + 1] == UInt8(ascii: "-") { return true }
    let line = try self.line(limit: position + 256)
    guard bytes[line].allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
      throw MultipartForm.error("expected the end of the line after the boundary", at: line.lowerBound)
    }
    return false
  }

  private mutating func part(into form: inout MultipartForm) throws(FormatError) {
    let start = position
    var (disposition, type) = ("", "text/plain")
    while true {
      let line = try self.line(limit: start + MultipartForm.maximumHeader)
      if line.isEmpty { break }
      let text = String(decoding: bytes[line], as: UTF8.self)
      guard let colon = text.firstIndex(of: ":") else {
        throw MultipartForm.error("expected a header such as Content-Disposition: form-data", at: line.lowerBound)
      }
      let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      switch text[..<colon].lowercased() {
      case "content-disposition": disposition = String(value)
      case "content-type": type = String(value.prefix { $0 != ";" && $0 != " " })
      default: break
      }
    }
    guard let name = MultipartForm.parameter("name", of: disposition) else {
      throw MultipartForm.error("the part has no name in a header Content-Disposition", at: start)
    }
    // The line end before the boundary belongs to the boundary. For an empty part it is the line end of the headers.
    guard let end = nextDelimiter(from: position - 1) else {
      throw MultipartForm.error("the form ends inside the part \(name.prefix(40).debugDescription)", at: bytes.count)
    }
    let content = position..<max(position, end.end)
    position = end.next
    if MultipartForm.parameter("filename", of: disposition) != nil || !type.lowercased().hasPrefix("text/") {
      form.add(MultipartForm.File(name: name, type: type, size: content.count))
      return
    }
    guard content.count <= MultipartForm.maximumField else {
      throw MultipartForm.error(
        "the field \(name.prefix(40).debugDescription) has more than \(MultipartForm.maximumField) bytes", at: content.lowerBound)
    }
    form.add(field: name, String(decoding: bytes[content], as: UTF8.self))
  }

  /// Reads a line and returns its range without the line end. The line must end before `limit`.
  private mutating func line(limit: Int) throws(FormatError) -> Range<Int> {
    let start = position
    while position < min(bytes.count, limit), bytes[position] != Self.lineFeed { position += 1 }
    guard position < bytes.count else { throw MultipartForm.error("the form ends inside the headers of a part", at: bytes.count) }
    guard position < limit else {
      throw MultipartForm.error("the headers of a part have more than \(MultipartForm.maximumHeader) bytes", at: start)
    }
    let end = position > start && bytes[position - 1] == Self.carriageReturn ? position - 1 : position
    position += 1
    return start..<end
  }

  /// Finds a delimiter at the beginning of a line.
  /// - Parameter from: the offset at which the search begins: at a line feed or at the beginning of the body.
  /// - Returns: the end of the text before the delimiter, without the line end, and the offset after the delimiter; `nil`
  ///   without a delimiter.
  private func nextDelimiter(from: Int) -> (end: Int, next: Int)? {
    if from == 0, matches(at: 0) { return (0, delimiter.count) }
    var index = max(0, from)
    while index < bytes.count {
      if bytes[index] == Self.lineFeed, matches(at: index + 1) {
        let end = index > 0 && bytes[index - 1] == Self.carriageReturn ? index - 1 : index
        return (end, index + 1 + delimiter.count)
      }
      index += 1
    }
    return nil
  }

  private func matches(at place: Int) -> Bool {
    guard bytes.count - place >= delimiter.count else { return false }
    for (index, byte) in delimiter.enumerated() where bytes[place + index] != byte { return false }
    return true
  }
}
