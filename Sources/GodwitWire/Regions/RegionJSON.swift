public import GodwitModel
public import GodwitText

/// Regions as our own API writes them: what the server, the devices and the page exchange.
///
///     {"id":"home","name":"Home","center":{"latitude":46.05,"longitude":14.5},"radius":100,"tags":["a"],"dwell":300}
///     {"id":"park","polygons":[[[[14.5,46],[14.6,46],[14.6,46.1]]]]}
///     {"id":"door","beacon":{"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2}}
///
/// See Documentation/Regions.md for every member.
public enum RegionJSON {
  /// The name of the language in errors.
  package static let format = "regions"

  /// Reads one region, an array of them, or `{"regions":[…]}`. Strict: a member that is not known is an error.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - limits: how much there may be.
  /// - Throws: `FormatError` with the byte and the path: `regions[17].radius`, or `radius` where there is one region only.
  public static func read(
    _ bytes: consuming [UInt8], limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> [Region] {
    try limits.check(bytes, format: format)
    return try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var reader = RegionReader(isStrict: true)
      return try reader.document(from: &json, limits: limits)
    }
  }

  /// Reads one region whose id is also given outside of the text, for example as the last part of a path.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - id: the id; where the text has one too, it must be the same.
  /// - Throws: `FormatError` with the byte and the path: `radius`.
  public static func read(_ bytes: consuming [UInt8], id: String) throws(FormatError) -> Region {
    try RegionFileLimits().check(bytes, format: format)
    return try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      if let reason = RegionValues.id(id) { throw json.unexpected(reason, at: 0, path: ".id") }
      var reader = RegionReader(isStrict: true)
      return try reader.region(from: &json, id: id)
    }
  }

  /// Reads one region from a store or from a server that may be newer than this: unknown members are skipped.
  /// - Parameter bytes: the whole text, as `write` wrote it.
  /// - Throws: `FormatError`.
  public static func readStored(_ bytes: consuming [UInt8]) throws(FormatError) -> Region {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var reader = RegionReader(isStrict: false)
      return try reader.region(from: &json, id: nil)
    }
  }

  /// Appends one region, in the one form that digests are made of: members in a fixed order, no white space, numbers in their
  /// shortest exact form (as RFC 8785 writes them), nothing that is not known.
  /// - Parameters:
  ///   - region: what is written.
  ///   - bytes: what it is appended to.
  public static func write(_ region: Region, into bytes: inout [UInt8]) {
    RegionWriter.write(region, into: &bytes)
  }

  /// Appends `{"regions":[…]}`, one region on a line.
  /// - Parameters:
  ///   - regions: what is written.
  ///   - bytes: what it is appended to.
  public static func write(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"regions":["#, to: &bytes)
    var isFirst = true
    for region in regions {
      JSONWriter.raw(isFirst ? "\n" : ",\n", to: &bytes)
      isFirst = false
      write(region, into: &bytes)
    }
    JSONWriter.raw("\n]}\n", to: &bytes)
  }

  /// What a region's share of a catalogue's digest is made of: its id, a zero byte, and the region as it is written.
  /// - Parameter region: what is written.
  public static func canonicalBytes(of region: Region) -> [UInt8] {
    var bytes = Array(region.id.utf8)
    bytes.append(0)
    write(region, into: &bytes)
    return bytes
  }

  /// The same of a region whose text is known.
  /// - Parameters:
  ///   - id: of the region.
  ///   - text: as a server wrote it, without a revision.
  public static func canonicalBytes(id: String, text: [UInt8]) -> [UInt8] { Array(id.utf8) + [0] + text }
}
