internal import GodwitHTTP

/// A page for a browser.
enum HTMLPage: RawContent {
  static func content(in components: SchemaComponents) -> JSONValue? {
    ["text/html; charset=utf-8": ["schema": ["type": "string"]]]
  }
}

/// The types of the route of a page.
typealias PageOperation = Operation<NoParameters, NoBody, RawResult<HTMLPage>>

/// The parameters of the page with the map.
struct MapPageParameters: ParameterList {
  let token: String?
  let live: String?

  static let notes: [String: JSONValue] = ["token": "The administrator token.", "live": "`off`: the page is not updated."]
}
