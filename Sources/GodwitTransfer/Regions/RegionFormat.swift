internal import GodwitFiles
package import GodwitModel
package import GodwitText
package import GodwitWire

/// Formats of files of regions. The content of a document says which one it has.
package enum RegionFormat: String, Sendable, CaseIterable {
  /// As our API has them.
  case json
  case geojson, kml
  /// Waypoints, as the app of OwnTracks imports them; without areas and without what it does not know.
  case owntracks

  /// For a sentence.
  package static let shownNames = "regions as JSON, GeoJSON, KML and OwnTracks' waypoints"

  package var contentType: String {
    switch self {
    case .json, .owntracks: "application/json"
    case .geojson: "application/geo+json"
    case .kml: "application/vnd.google-earth.kml+xml"
    }
  }

  /// How a file's name ends.
  package var fileEnding: String {
    switch self {
    case .json: "json"
    case .geojson: "geojson"
    case .kml: "kml"
    case .owntracks: "otrc"
    }
  }

  /// The regions as a document.
  package func text(_ regions: [Region]) -> [UInt8] {
    var text: [UInt8] = []
    switch self {
    case .json: RegionJSON.write(regions, into: &text)
    case .geojson: RegionGeoJSON.write(regions, into: &text)
    case .kml: RegionKML.write(regions, into: &text)
    case .owntracks: OwnTracks.writeWaypoints(regions, into: &text)
    }
    return text
  }

  /// Reads a document.
  /// - Parameters:
  ///   - bytes: the whole document.
  ///   - tags: what all of its regions are tagged with besides.
  ///   - defaultRadius: metres, of points without a radius in GeoJSON and KML; `nil`: they are skipped.
  /// - Throws: `FormatError`, with the place of what is no region.
  package static func read(_ bytes: [UInt8], tags: [String], defaultRadius: Double?) throws(FormatError) -> RegionImport {
    var found = try RegionFile.read(bytes, defaultRadius: defaultRadius)
    guard !tags.isEmpty else { return found }
    for index in found.regions.indices {
      for tag in tags where !found.regions[index].tags.contains(tag) { found.regions[index].tags.append(tag) }
      do throws(RegionFault) { try found.regions[index].check() } catch {
        throw FormatError(
          format: found.format, place: FormatError.Place(byte: 0, path: "regions[\(index)].\(error.path)"),
          reason: "with the added tags, \(error.reason)")
      }
    }
    return found
  }
}
