package import GodwitText

extension JSONText {
  /// Returns `{"name":[…]}`.
  package static func list(_ name: String, _ objects: [String]) -> HTTPResponse {
    .json(Array("{\(name.jsonQuoted):[\(objects.joined(separator: ","))]}\n".utf8))
  }

  /// Returns a page of a list: `{"<name>": […], "next_cursor": …}`.
  /// - Parameter nextCursor: the `cursor` of the request for the next page; `nil` on the last one.
  package static func page(_ name: String, _ objects: [String], nextCursor: String?) -> HTTPResponse {
    let list = "{\(name.jsonQuoted):[\(objects.joined(separator: ","))]"
    return .json(Array((list + ",\"next_cursor\":\(nextCursor?.jsonQuoted ?? "null")}\n").utf8))
  }

  package static func response(_ object: String, status: Int = 200) -> HTTPResponse {
    .json(Array((object + "\n").utf8), status: status)
  }
}
