package import GodwitHTTP

/// The parameter `user`: the user whose data the request refers to.
package struct UserName: ParameterValue {
  package let name: String
  package static func read(_ name: String, from query: QueryParameters) -> Self? { query[name].map { Self(name: $0) } }
  package static func schema(in components: SchemaComponents) -> JSONValue { ["type": "string"] }
  package static var sample: Self { Self(name: "") }
  package static let parameterDescription = "Of this user; other users than one's own are for administrators."
  package static let problems = [404]
}

/// The only parameter of a request for a user's data.
package struct UserParameters: ParameterList {
  package let user: UserName?
}
