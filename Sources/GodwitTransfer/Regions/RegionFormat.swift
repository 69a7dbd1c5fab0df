internal import GodwitFiles
package import GodwitModel
package import GodwitText
package import GodwitWire

/// The formats of region files. The format of a document is detected from its content.
package enum RegionFormat: String, Sendable, CaseIterable {
  /// The format of the API.
  case json
  case geojson, kml
  /// Waypoints for the import in the OwnTracks apps; without polygons and unsupported properties.
  case owntracks

  /// The formats as a part of a sentence.
  package static let shownNames = "regions as JSON, GeoJSON, KML and OwnTracks' waypoints"

  package var contentType: String {
    switch self {
    case .json, .owntracks: "application/json"
    case .geojson: "application/geo+json"
    case .kml: "application/vnd.google-earth.kml+xml"
    }
  }

  /// The extension of file names.
  package var fileEnding: String {
    switch self {
    case .json: "json"
    case .geojson: "geojson"
    case .kml: "kml"
    case .owntracks: "otrc"
    }
  }

  /// Returns the regions as a document.
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
  ///   - tags: tags that are added to all regions.
  ///   - defaultRadius: the radius in metres of points without a radius in GeoJSON and KML; `nil`: they are skipped.
  /// - Throws: `FormatError` with the place of the fault.
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
