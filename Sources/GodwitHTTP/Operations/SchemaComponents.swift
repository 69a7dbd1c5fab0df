/// Determines the JSON schemas of types, and collects named schemas.
package final class SchemaComponents {
  /// The named schemas, by name.
  package private(set) var schemas: [String: JSONValue] = [:]
  /// Contradictions in the documented types, as sentences.
  package private(set) var faults: [String] = []

  package init() {}

  /// Returns the schema of a type, or a reference to it.
  package func schema<T: Decodable>(of type: T.Type) throws -> JSONValue {
    if let value = type as? any DocumentedValue.Type { return try value.schema(in: self) }
    return try described(type).schema
  }

  /// Returns the schema of a type with a sample value.
  func described<T: Decodable>(_ type: T.Type) throws -> (schema: JSONValue, sample: T) {
    if let value = type as? any DocumentedValue.Type, let sample = try value.sample as? T {
      return (try value.schema(in: self), sample)
    }
    let recorder = SchemaRecorder(self)
    let sample = try T(from: MemberDecoder(source: recorder))
    let object = type as? any DocumentedObject.Type
    let schema = recorder.schema(object)
    return (object?.schemaName.map { named($0, schema) } ?? schema, sample)
  }

  /// Adds a schema to the components, and returns a reference to it.
  package func named(_ name: String, _ schema: JSONValue) -> JSONValue {
    if let known = schemas[name], known != schema { faults.append("two types have the schema \(name)") }
    schemas[name] = schema
    return ["$ref": .string("#/components/schemas/\(name)")]
  }

  /// Returns the parameters of a type in their order, and the statuses of the problems that they can cause, besides 400.
  package func parameters(of type: any ParameterList.Type) throws -> (parameters: [JSONValue], problems: [Int]) {
    let recorder = SchemaRecorder(self)
    try recorder.record(type)
    let parameters = recorder.members.map { member in
      let notes = Self.keywords(recorder.notes[member.name])
      let header = (member.parameter as? any HeaderParameter.Type)?.header
      var parameter: [String: JSONValue] = [
        "name": .string(header ?? member.name), "in": header == nil ? "query" : "header",
      ]
      if member.isRequired, member.parameter?.isOptional != true { parameter["required"] = true }
      var schema = member.schema
      for (key, value) in notes.members where key != "description" { schema = schema.merging([key: value]) }
      parameter["schema"] = schema
      let text = notes.members["description"] ?? member.parameter.map { .string($0.parameterDescription) }
      if text == nil || text == "" { faults.append("\(type) does not describe \(member.name)") }
      parameter["description"] = text
      return JSONValue.object(parameter)
    }
    return (parameters, recorder.members.flatMap { $0.parameter?.problems ?? [] })
  }

  /// Returns the keywords of a note. A note that is a string is a description.
  static func keywords(_ note: JSONValue?) -> JSONValue {
    if case .string = note { ["description": note ?? nil] } else { note ?? [:] }
  }

  func fault(_ text: String) { faults.append(text) }
}

/// Records which members a type decodes.
final class SchemaRecorder: MemberSource {
  struct Member {
    var name: String
    var schema: JSONValue
    var isRequired: Bool
    /// The type, if it is a parameter.
    var parameter: (any ParameterValue.Type)?
  }

  private(set) var members: [Member] = []
  private(set) var notes: [String: JSONValue] = [:]
  private let components: SchemaComponents

  init(_ components: SchemaComponents) { self.components = components }

  func member<T: Decodable>(_ type: T.Type, _ name: String) throws -> T {
    if let list = type as? any ParameterList.Type, let value = try record(list) as? T { return value }
    let (schema, sample) = try components.described(type)
    add(name, schema, isRequired: true, type)
    return sample
  }

  func memberIfPresent<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
    add(name, try components.schema(of: type), isRequired: false, type)
    return nil
  }

  private func add(_ name: String, _ schema: JSONValue, isRequired: Bool, _ type: Any.Type) {
    members.append(Member(name: name, schema: schema, isRequired: isRequired, parameter: type as? any ParameterValue.Type))
  }

  /// Records the parameters of a list. Its notes take precedence over the notes of nested lists.
  @discardableResult
  func record<T: ParameterList>(_ type: T.Type) throws -> T {
    notes.merge(type.notes) { outer, _ in outer }
    return try T(from: MemberDecoder(source: self))
  }

  /// Returns the schema of an object with the recorded members.
  func schema(_ object: (any DocumentedObject.Type)?) -> JSONValue {
    let notes = object?.notes ?? [:]
    for name in notes.keys where !members.contains(where: { $0.name == name }) {
      components.fault("\(object.map { "\($0)" } ?? "") has no member \(name)")
    }
    let properties = members.map { ($0.name, $0.schema.merging(SchemaComponents.keywords(notes[$0.name]))) }
    var schema: [String: JSONValue] = [
      "type": "object", "properties": .object(Dictionary(properties) { _, last in last }),
    ]
    let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema["required"] = .array(required) }
    if object?.isClosed == true { schema["additionalProperties"] = false }
    if let summary = object?.summary { schema["description"] = .string(summary) }
    return .object(schema)
  }
}
