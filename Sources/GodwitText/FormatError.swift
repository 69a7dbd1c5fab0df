/// An error in a document: the reason and the place.
public struct FormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The format that the document was parsed as: "Overland", "GPX", "NMEA 0183", …
  public let format: String
  /// The place of the error.
  public let place: Place
  /// A sentence without a full stop: "latitude 91 is outside −90…90".
  public let reason: String
  /// Whether the only error is the size: the document exceeds a limit.
  public let isLimit: Bool

  /// A position in a document.
  public struct Place: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Offset in bytes from the start of the document.
    public let byte: Int
    /// Line from 1, if the format has lines.
    public let line: Int?
    /// JSON path such as `$.locations[3].geometry`, if the format is JSON.
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
