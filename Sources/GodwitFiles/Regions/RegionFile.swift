public import GodwitModel
public import GodwitText
public import GodwitWire

/// Reads regions in any supported format, which is detected by the content: JSON of Godwit's API, GeoJSON, KML, and
/// waypoints of OwnTracks.
public enum RegionFile {
  /// Reads a document.
  /// - Parameters:
  ///   - bytes: the complete document. A UTF-8 byte order mark is skipped.
  ///   - name: the name of the document, for the error for an unknown format.
  ///   - defaultRadius: the radius in metres of points without a radius in GeoJSON and KML; `nil` to reject them.
  ///   - limits: the maximum size and number of regions.
  /// - Returns: The regions, the format, and the skipped parts.
  /// - Throws: `FormatError` with the place of the fault. A document with a fault is rejected as a whole.
  public static func read(
    _ bytes: [UInt8], name: String? = nil, defaultRadius: Meters? = nil, limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionImport {
    try limits.check(bytes, format: name ?? "regions")
    var bytes = bytes
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let first: Int = bytes[start...].firstIndex { $0 > 0x20 } ?? bytes.count
    switch bytes.dropFirst(first).first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // The byte order mark is replaced by spaces, so that offsets in errors are those of the file.
      for index in 0..<start { bytes[index] = 0x20 }
      switch kind(bytes) {
      case .geoJSON: return try RegionGeoJSON.read(bytes, defaultRadius: defaultRadius, limits: limits)
      case .ownTracks: return try OwnTracks.readWaypoints(bytes, limits: limits)
      case .own: return RegionImport(format: RegionJSON.format, regions: try RegionJSON.read(bytes, limits: limits))
      }
    case UInt8(ascii: "<"), 0xFE, 0xFF: return try RegionKML.read(bytes, defaultRadius: defaultRadius, limits: limits)
    default: throw FormatError(format: name ?? "regions", place: FormatError.Place(byte: first), reason: rejection(bytes, first))
    }
  }

  private static func rejection(_ bytes: [UInt8], _ first: Int) -> String {
    let known = "expected regions as JSON, GeoJSON, KML or waypoints of OwnTracks"
    if first == bytes.count { return "it is empty; \(known)" }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "it is a zip archive; unpack it, a KMZ file has a KML file inside" }
    if bytes.starts(with: [0x1F, 0x8B]) { return "it is compressed with gzip; unpack it" }
    return "it begins with \(String(decoding: bytes[first...].prefix(40), as: UTF8.self).debugDescription); \(known)"
  }

  private enum Kind {
    case own, geoJSON, ownTracks
  }

  /// Detects the format by the members of the first object: only GeoJSON has `type`, and only OwnTracks has `_type`.
  private static func kind(_ bytes: [UInt8]) -> Kind {
    let padded = bytes + [UInt8](repeating: 0, count: JSONReader.padding)
    return padded.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return .own }
      var json = JSONReader(base: base, count: bytes.count)
      var kind = Kind.own
      do throws(JSONReader.Fault) {
        if json.peek() == UInt8(ascii: "[") { json.position += 1 }
        try json.expect(UInt8(ascii: "{"), "{")
        repeat {
          let key = try json.key()
          if json.matches(key, "_type") || json.matches(key, "waypoints") || json.matches(key, "rad") { return .ownTracks }
          if json.matches(key, "type") || json.matches(key, "features") { kind = .geoJSON }
          try json.skipValue()
        } while try json.hasMore(closing: UInt8(ascii: "}"))
      } catch { return kind }
      return kind
    }
  }
}
