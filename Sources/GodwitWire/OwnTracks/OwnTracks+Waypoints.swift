internal import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// Reads waypoints: a `waypoint`, a `waypoints` message or file, the command that sets them, or an array of them. What has
  /// neither a radius nor a beacon's UUID is a mark and no region, and is skipped.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - isLenient: whether a waypoint that is wrong is skipped too, with its reason, as a server does with what an app sends.
  ///   - limits: how much there may be.
  /// - Throws: `FormatError` with the byte and the path: `waypoints[3].rad`.
  public static func readWaypoints(
    _ bytes: consuming [UInt8], isLenient: Bool = false, limits: RegionFileLimits = RegionFileLimits()
  ) throws(FormatError) -> RegionImport {
    try limits.check(bytes, format: format)
    return try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var reader = WaypointReader(skipsFaults: isLenient, limits: limits)
      try reader.readDocument(from: &json)
      return reader.found
    }
  }

  /// Appends a `waypoints` object with everything that regions have, so that reading it gives them back. Polygons have a circle
  /// around them, which is what an app takes them for.
  /// - Parameters:
  ///   - regions: what is written.
  ///   - bytes: what it is appended to.
  public static func writeWaypoints(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    writeWaypoints(regions, isWhole: true, into: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends the command `setWaypoints`, which makes an app take regions over: one that it knows is changed, the others stay. A
  /// server sends it in the array that it answers with. It has no more than apps understand; a circle around polygons.
  /// - Parameters:
  ///   - regions: what is written.
  ///   - bytes: what it is appended to.
  public static func writeSetWaypoints(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"cmd","action":"setWaypoints","waypoints":"#, to: &bytes)
    writeWaypoints(regions, isWhole: false, into: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  private static func writeWaypoints(_ regions: some Sequence<Region>, isWhole: Bool, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"_type":"waypoints","waypoints":["#, to: &bytes)
    var isFirst = true
    for region in regions {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      if isWhole { bytes.append(0x0A) }
      isFirst = false
      write(region, isWhole: isWhole, into: &bytes)
    }
    JSONWriter.raw("]}", to: &bytes)
  }

  /// What an app calls a region that it was reported of: its name, or its id where it has none.
  public static func description(of region: Region) -> String { region.name.isEmpty ? region.id : region.name }

  /// The id of a region in messages that name it by its name and the second of its creation alone.
  public static func computedID(of region: Region) -> String {
    computedID(description: description(of: region), creation: creationTime(of: region, ExtrasMembers.of(region)))
  }

  /// The second that an app knows a region by.
  private static func creationTime(of region: Region, _ extras: [ExtrasMembers.Member]) -> Int {
    let kept = extras.first { $0.name == "tst" }.flatMap { Int(String(decoding: $0.text.dropFirst(6), as: UTF8.self)) }
    return kept ?? creationTime(ofID: region.id)
  }

  private static func write(_ region: Region, isWhole: Bool, into bytes: inout [UInt8]) {
    let extras = ExtrasMembers.of(region)
    JSONWriter.raw(#"{"_type":"waypoint","desc":"#, to: &bytes)
    JSONWriter.string(isWhole ? region.name : description(of: region), to: &bytes)
    // Made elsewhere, it keeps the second that it is known by there.
    if !isWhole || !extras.contains(where: { $0.name == "tst" }) {
      JSONWriter.raw(#","tst":"#, to: &bytes)
      JSONWriter.number(creationTime(of: region, extras), to: &bytes)
    }
    JSONWriter.member(#","rid":"#, region.id, to: &bytes)
    if let place = region.shape.center {
      JSONWriter.raw(#","lat":"#, to: &bytes)
      RegionWriter.number(place.latitude, into: &bytes)
      JSONWriter.raw(#","lon":"#, to: &bytes)
      RegionWriter.number(place.longitude, into: &bytes)
    }
    if let circle = region.shape.enclosingCircle {
      JSONWriter.raw(#","rad":"#, to: &bytes)
      RegionWriter.number(circle.radius, into: &bytes)
    }
    if let beacon = region.shape.beacon {
      bytes.append(UInt8(ascii: ","))
      RegionWriter.identity(beacon.identity, into: &bytes)
    }
    if isWhole {
      if case .polygons(let area) = region.shape {
        JSONWriter.raw(#","polygons":"#, to: &bytes)
        RegionWriter.polygons(area, isClosed: false, into: &bytes)
      }
      RegionWriter.rest(region, into: &bytes)
      let names = Waypoint.Member.names.filter { $0.description != "tst" }
      ExtrasMembers.write(region, beside: names, into: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
