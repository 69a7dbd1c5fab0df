package import GodwitText

extension JSONText {
  /// `{"name":[…]}`
  package static func list(_ name: String, _ objects: [String]) -> HTTPResponse {
    .json(Array("{\(name.jsonQuoted):[\(objects.joined(separator: ","))]}\n".utf8))
  }

  /// A page of a list: `{"<name>": […], "pageInfo": {"endCursor", "hasNextPage"}}`.
  package static func page(_ name: String, _ objects: [String], endCursor: Int64, isFull: Bool) -> HTTPResponse {
    let cursor = objects.isEmpty ? "null" : "\"\(endCursor)\""
    let list = "{\(name.jsonQuoted):[\(objects.joined(separator: ","))]"
    return .json(Array((list + ",\"pageInfo\":{\"endCursor\":\(cursor),\"hasNextPage\":\(isFull)}}\n").utf8))
  }

  package static func response(_ object: String, status: Int = 200) -> HTTPResponse {
    .json(Array((object + "\n").utf8), status: status)
  }
}
