package import GodwitHTTP
package import GodwitTiles

/// The base map of the server's owner, as returned by the API.
package struct BasemapResult: ResultObject {
  package var url: String
  package var format: Format
  package var schema: Schema
  package var minZoom: Int
  package var maxZoom: Int
  /// West, south, east and north in degrees.
  package var bounds: [Double]
  package var attribution: String

  package enum Format: String, Codable, Sendable, CaseIterable, DocumentedValue { case mvt, png, jpg, webp, avif }
  package enum Schema: String, Codable, Sendable, CaseIterable, DocumentedValue { case protomaps, openmaptiles, unknown }

  package static let schemaName: String? = "Basemap"
  package static let notes: [String: JSONValue] = [
    "url": "With `{z}`, `{x}` and `{y}`.", "schema": "Layers and attributes of vector tiles, as styles know them.",
    "bounds": "West, south, east and north, in degrees.", "min_zoom": ["minimum": 0], "max_zoom": ["minimum": 0],
    "attribution": "For the map; it may have links as HTML.",
  ]

  package init(_ map: Basemaps.OwnMap) {
    let archive = map.archive
    url = "/basemap/{z}/{x}/{y}.\(archive.kind.fileExtension)?v=\(map.version)"
    format = Format(rawValue: archive.kind.fileExtension) ?? .mvt
    schema = Schema(rawValue: archive.metadata.schema.rawValue) ?? .unknown
    (minZoom, maxZoom) = (archive.zooms.lowerBound, archive.zooms.upperBound)
    bounds = [archive.bounds.west, archive.bounds.south, archive.bounds.east, archive.bounds.north]
    attribution = archive.metadata.attribution ?? ""
  }
}
