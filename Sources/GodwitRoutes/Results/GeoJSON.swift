package import GodwitHTTP

/// Schemas of GeoJSON (RFC 7946).
package enum GeoJSON {
  package static let mediaType = "application/geo+json"

  package static func position(in components: SchemaComponents) -> JSONValue {
    components.named(
      "Position",
      [
        "type": "array", "items": ["type": "number"], "minItems": 2, "maxItems": 3,
        "description": "Longitude, latitude, and optionally altitude in metres.",
      ])
  }

  package static func line(in components: SchemaComponents) -> JSONValue {
    ["type": "array", "items": position(in: components), "minItems": 2]
  }

  package static func geometry(_ type: String, coordinates: JSONValue) -> JSONValue {
    [
      "type": "object", "properties": ["type": ["const": .string(type)], "coordinates": coordinates],
      "required": ["type", "coordinates"],
    ]
  }

  package static func feature(_ geometry: JSONValue, _ properties: JSONValue) -> JSONValue {
    [
      "type": "object", "properties": ["type": ["const": "Feature"], "geometry": geometry, "properties": properties],
      "required": ["type", "geometry", "properties"],
    ]
  }

  /// Returns the `content` of a response with a feature collection.
  package static func content(
    _ name: String, of feature: JSONValue, isPaged: Bool = true, in components: SchemaComponents
  ) -> JSONValue {
    var members: [String: JSONValue] = [
      "type": ["const": "FeatureCollection"], "features": ["type": "array", "items": feature],
    ]
    if isPaged { members["next_cursor"] = NextCursor.schema(in: components) }
    let required: [JSONValue] = ["type", "features"] + (isPaged ? ["next_cursor"] : [])
    let schema: JSONValue = ["type": "object", "properties": .object(members), "required": .array(required)]
    return [mediaType: ["schema": components.named(name, schema)]]
  }
}
