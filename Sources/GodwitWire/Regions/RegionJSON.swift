public import GodwitModel
public import GodwitText

/// Regions in the format of Godwit's API, which the server, the devices and the pages exchange.
///
///     {"id":"home","name":"Home","center":{"latitude":46.05,"longitude":14.5},"radius":100,"tags":["a"],"dwell":300}
///     {"id":"park","polygons":[[[[14.5,46],[14.6,46],[14.6,46.1]]]]}
///     {"id":"door","beacon":{"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1,"minor":2}}
///
/// See Documentation/Regions.md for every member.
public enum RegionJSON {
  /// The name of the format in errors.
  package static let format = "regions"

  /// Reads a region, an array of regions, or `{"regions":[…]}`. An unknown member is an error.
  /// - Parameters:
  ///   - bytes: the complete text.
  ///   - limits: the maximum size and number of regions.
  /// - Throws: `FormatError` with the byte and the path: `regions[17].radius`, or `radius` in a single region.
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
  ///   - bytes: the complete text.
  ///   - id: the id. An id in the text must be equal to it.
  /// - Throws: `FormatError` with the byte and the path: `radius`.
  public static func read(_ bytes: consuming [UInt8], id: String) throws(FormatError) -> Region {
    try RegionFileLimits().check(bytes, format: format)
    return try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      if let reason = RegionValues.id(id) { throw json.unexpected(reason, at: 0, path: ".id") }
      var reader = RegionReader(isStrict: true)
      return try reader.region(from: &json, id: id)
    }
  }

  /// Reads a region from a store or from a server that may have a newer version. Unknown members are skipped.
  /// - Parameter bytes: the complete text, as written by `write`.
  /// - Throws: `FormatError`.
  public static func readStored(_ bytes: consuming [UInt8]) throws(FormatError) -> Region {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var reader = RegionReader(isStrict: false)
      return try reader.region(from: &json, id: nil)
    }
  }

  /// Appends a region in the canonical form from which digests are computed: members in a fixed order, no white space,
  /// numbers in their shortest exact form (RFC 8785), no unknown members.
  /// - Parameters:
  ///   - region: the region.
  ///   - bytes: the buffer to which the region is appended.
  public static func write(_ region: Region, into bytes: inout [UInt8]) {
    RegionWriter.write(region, into: &bytes)
  }

  /// Appends `{"regions":[…]}` with one region on each line.
  /// - Parameters:
  ///   - regions: the regions.
  ///   - bytes: the buffer to which the regions are appended.
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

  /// Returns the bytes from which the hash of a region in a digest is computed: its id, a zero byte, and its canonical
  /// form.
  /// - Parameter region: the region.
  public static func canonicalBytes(of region: Region) -> [UInt8] {
    var bytes = Array(region.id.utf8)
    bytes.append(0)
    write(region, into: &bytes)
    return bytes
  }

  /// Returns these bytes for a region whose text is known.
  /// - Parameters:
  ///   - id: the id of the region.
  ///   - text: the text of the region as written by a server, without a revision.
  public static func canonicalBytes(id: String, text: [UInt8]) -> [UInt8] { Array(id.utf8) + [0] + text }
}
