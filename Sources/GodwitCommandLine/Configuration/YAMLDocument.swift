internal import CYAML

/// The document of a YAML text: scalars as text, lists and mappings. It is parsed with libyaml. Aliases and deep nesting are
/// rejected, and so are anchors and tags, because a configuration file does not need them.
struct YAMLDocument {
  struct Node {
    enum Content {
      /// The text without interpretation by YAML's schemas. `isEmpty` is true for an empty scalar without quotes.
      case scalar(String, isEmpty: Bool)
      case list([Node])
      case mapping([(key: Node, value: Node)])
    }
    let content: Content
    /// Line number, from 1.
    let line: Int
  }

  /// An error in a text, with its line.
  struct Fault: Error {
    let line: Int
    let reason: String
  }

  /// `nil` if the text is empty or has only comments.
  let root: Node?

  init(_ text: [UInt8]) throws(Fault) {
    var events = try Self.events(of: text)[...]
    guard events.first?.kind != .end, !events.isEmpty else {
      root = nil
      return
    }
    root = try Self.node(of: &events, depth: 0)
    if let next = events.first { throw Fault(line: next.line, reason: "the file has a second document") }
  }

  // MARK: Nodes

  private static let greatestDepth = 5

  private static func node(of events: inout ArraySlice<Event>, depth: Int) throws(Fault) -> Node {
    // libyaml rejects a text that ends inside a node, so that this does not occur.
    guard let event = events.popFirst() else { throw Fault(line: 1, reason: "the file ends early") }
    guard depth < greatestDepth else { throw Fault(line: event.line, reason: "nothing is nested so deeply") }
    switch event.kind {
    case .scalar(let text, let isEmpty): return Node(content: .scalar(text, isEmpty: isEmpty), line: event.line)
    case .list:
      var nodes: [Node] = []
      while let next = events.first, next.kind != .end { nodes.append(try node(of: &events, depth: depth + 1)) }
      events = events.dropFirst()
      return Node(content: .list(nodes), line: event.line)
    case .mapping:
      var pairs: [(key: Node, value: Node)] = []
      while let next = events.first, next.kind != .end {
        let key = try node(of: &events, depth: depth + 1)
        pairs.append((key, try node(of: &events, depth: depth + 1)))
      }
      events = events.dropFirst()
      return Node(content: .mapping(pairs), line: event.line)
    case .end: throw Fault(line: event.line, reason: "a value is missing")
    }
  }

  // MARK: Events

  private struct Event {
    enum Kind: Equatable {
      case scalar(String, isEmpty: Bool)
      case list, mapping
      /// The end of a list or mapping.
      case end
    }
    let kind: Kind
    let line: Int
  }

  private static func events(of text: [UInt8]) throws(Fault) -> [Event] {
    // libyaml stores the address of the parser in itself, so that it must not move.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { parser.deallocate() }
    guard yaml_parser_initialize(parser) == 1 else { throw Fault(line: 1, reason: "there is no memory to read it") }
    defer { yaml_parser_delete(parser) }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    let result = text.withUnsafeBufferPointer { bytes -> Result<[Event], Fault> in
      yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
      do throws(Fault) { return .success(try all(of: parser)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private static func all(of parser: UnsafeMutablePointer<yaml_parser_t>) throws(Fault) -> [Event] {
    var events: [Event] = []
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw fault(of: parser.pointee) }
      defer { yaml_event_delete(&event) }
      let line = Int(clamping: event.start_mark.line) + 1
      switch event.type {
      case YAML_STREAM_END_EVENT: return events
      case YAML_SCALAR_EVENT:
        let scalar = event.data.scalar
        try reject(anchor: scalar.anchor, tag: scalar.tag, line: line)
        let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        events.append(Event(kind: .scalar(text, isEmpty: text.isEmpty && scalar.style == YAML_PLAIN_SCALAR_STYLE), line: line))
      case YAML_SEQUENCE_START_EVENT:
        try reject(anchor: event.data.sequence_start.anchor, tag: event.data.sequence_start.tag, line: line)
        events.append(Event(kind: .list, line: line))
      case YAML_MAPPING_START_EVENT:
        try reject(anchor: event.data.mapping_start.anchor, tag: event.data.mapping_start.tag, line: line)
        events.append(Event(kind: .mapping, line: line))
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: events.append(Event(kind: .end, line: line))
      case YAML_ALIAS_EVENT: throw Fault(line: line, reason: "aliases are not supported")
      default: break
      }
    }
  }

  private static func reject(anchor: UnsafePointer<UInt8>?, tag: UnsafePointer<UInt8>?, line: Int) throws(Fault) {
    guard anchor == nil else { throw Fault(line: line, reason: "anchors are not supported") }
    guard tag == nil else { throw Fault(line: line, reason: "tags are not supported") }
  }

  private static func fault(of parser: yaml_parser_t) -> Fault {
    let reason = parser.problem.map { String(cString: $0) } ?? "it is not valid YAML"
    // An encoding error has an offset and no line.
    guard parser.error != YAML_READER_ERROR else { return Fault(line: 1, reason: "\(reason), at byte \(parser.problem_offset)") }
    return Fault(line: Int(clamping: parser.problem_mark.line) + 1, reason: reason)
  }
}
