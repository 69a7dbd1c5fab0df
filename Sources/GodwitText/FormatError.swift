/// What is wrong with a document, where in it, and what was expected there.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The language that the document was read as: "Overland", "GPX", "NMEA 0183", …
  public let format: String
  /// Where it is.
  public let place: Place
  /// A sentence without its full stop: "latitude 91 is outside −90…90".
  public let reason: String
  /// Whether nothing is wrong but the size: there is more than is read at once.
  public let isLimit: Bool

  /// A position in a document.
  public struct Place: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Bytes before it, from the start of the document.
    public let byte: Int
    /// Line from 1, where the format has lines.
    public let line: Int?
    /// JSON path such as `$.locations[3].geometry`, where the format is JSON.
    public let path: String?

    public init(byte: Int, line: Int? = nil, path: String? = nil) {
      self.byte = byte
      self.line = line
      self.path = path
    }

    public var description: String {
      [path, line.map { "line \($0)" }, "byte \(byte)"].compactMap(\.self).joined(separator: ", ")
    }
  }

  public init(format: String, place: Place, reason: String, isLimit: Bool = false) {
    self.format = format
    self.place = place
    self.reason = reason
    self.isLimit = isLimit
  }

  public var description: String { "\(format), \(place): \(reason)" }
}
