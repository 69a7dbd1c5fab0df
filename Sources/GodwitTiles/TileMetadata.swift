internal import Foundation

/// The JSON metadata of an archive.
package struct TileMetadata: Sendable, Hashable {
  /// The names of the layers of vector tiles, from `vector_layers`; empty for images.
  package var layers: [String] = []
  /// The attribution for the map, which may be HTML; `nil` if there is none.
  package var attribution: String?

  /// The schema of layers and attributes, for the styles of the pages.
  package enum Schema: String, Sendable {
    case protomaps
    case openmaptiles
    case unknown
  }

  /// Parses metadata; an empty text has none.
  init(json: [UInt8]) throws(TileArchiveError) {
    guard !json.isEmpty else { return }
    guard let object = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else {
      throw .damaged("its metadata is not a JSON object")
    }
    attribution = (object["attribution"] as? String).flatMap { $0.isEmpty ? nil : $0 }
    layers = Self.layers(object)
    // Some writers store the JSON of MBTiles as a text inside.
    if layers.isEmpty, let text = object["json"] as? String,
      let inner = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    {
      layers = Self.layers(inner)
    }
  }

  private static func layers(_ object: [String: Any]) -> [String] {
    (object["vector_layers"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
  }

  /// The schema by its layers: Protomaps has `earth` and `roads` (https://docs.protomaps.com/basemaps/layers), OpenMapTiles has
  /// `transportation` and `water` (https://openmaptiles.org/schema/).
  package var schema: Schema {
    if layers.contains("earth"), layers.contains("roads") { return .protomaps }
    if layers.contains("transportation"), layers.contains("water") { return .openmaptiles }
    return .unknown
  }
}
