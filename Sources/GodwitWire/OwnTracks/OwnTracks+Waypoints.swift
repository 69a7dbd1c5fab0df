internal import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// Reads waypoints: a `waypoint`, a `waypoints` message or file, a `setWaypoints` command, or an array of waypoints. A
  /// waypoint with neither a radius nor the UUID of a beacon is a mark on the map and not a region; it is skipped.
  /// - Parameters:
  ///   - bytes: the complete text.
  ///   - isLenient: whether invalid waypoints are skipped with a reason. A server uses this for waypoints of apps.
  ///   - limits: the maximum size and number of regions.
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

  /// Appends a `waypoints` object with all members of the regions, so that reading it returns the same regions. Polygons
  /// also have an enclosing circle, which the apps use.
  /// - Parameters:
  ///   - regions: the regions.
  ///   - bytes: the buffer to which the object is appended.
  public static func writeWaypoints(_ regions: some Sequence<Region>, into bytes: inout [UInt8]) {
    writeWaypoints(regions, isWhole: true, into: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends the command `setWaypoints`, with which an app adds regions or changes known ones; other waypoints of the app
  /// do not change. A server sends the command in the array of its response. It contains only members that apps support,
  /// and the enclosing circle of polygons.
  /// - Parameters:
  ///   - regions: the regions.
  ///   - bytes: the buffer to which the command is appended.
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

  /// Returns the description of a region in an app: its name, or its id without a name.
  public static func description(of region: Region) -> String { region.name.isEmpty ? region.id : region.name }

  /// Returns the id of a region in messages that identify it only by its name and the second of its creation.
  public static func computedID(of region: Region) -> String {
    computedID(description: description(of: region), creation: creationTime(of: region, ExtrasMembers.of(region)))
  }

  /// Returns the second by which an app identifies a region.
  private static func creationTime(of region: Region, _ extras: [ExtrasMembers.Member]) -> Int {
    let kept = extras.first { $0.name == "tst" }.flatMap { Int(String(decoding: $0.text.dropFirst(6), as: UTF8.self)) }
    return kept ?? creationTime(ofID: region.id)
  }

  private static func write(_ region: Region, isWhole: Bool, into bytes: inout [UInt8]) {
    let extras = ExtrasMembers.of(region)
    JSONWriter.raw(#"{"_type":"waypoint","desc":"#, to: &bytes)
    JSONWriter.string(isWhole ? region.name : description(of: region), to: &bytes)
    // A region from an app keeps its creation time, which is in the extras.
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
