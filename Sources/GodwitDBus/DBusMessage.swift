#if os(Linux)
  internal import CDBus
  internal import Glibc

  /// A method call.
  package struct DBusCall: Sendable {
    /// The name of the service.
    package var service: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [DBusValue]
    /// Whether the bus may start the service for the call.
    package var startsService: Bool

    package init(
      service: String, path: String, interface: String, member: String, arguments: [DBusValue] = [],
      startsService: Bool = true
    ) {
      self.service = service
      self.path = path
      self.interface = interface
      self.member = member
      self.arguments = arguments
      self.startsService = startsService
    }
  }

  /// A signal that a service sent.
  package struct DBusSignal: Sendable, Hashable {
    /// The unique name of the connection that sent it.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [DBusValue]

    package init(sender: String, path: String, interface: String, member: String, arguments: [DBusValue]) {
      self.sender = sender
      self.path = path
      self.interface = interface
      self.member = member
      self.arguments = arguments
    }
  }

  /// A rule that selects signals.
  package struct DBusRule: Sendable, Hashable {
    package var service: String
    package var path: String?
    package var interface: String
    package var member: String
    /// The required first argument of the signal, a string; `nil`: any.
    package var first: String?

    package init(service: String, path: String? = nil, interface: String, member: String, first: String? = nil) {
      self.service = service
      self.path = path
      self.interface = interface
      self.member = member
      self.first = first
    }

    /// The match rule in the syntax of D-Bus. Its parts are D-Bus names, which contain no quotes.
    var text: String {
      var text = "type='signal',sender='\(service)',interface='\(interface)',member='\(member)'"
      if let path { text += ",path='\(path)'" }
      if let first { text += ",arg0='\(first)'" }
      return text
    }

    /// Whether a signal matches the rule. The bus does not check the sender of a signal that is addressed to this connection.
    /// - Parameter sender: the unique name of the connection that owns the name of the service; `nil`: none does.
    func matches(_ signal: DBusSignal, sender: String?) -> Bool {
      (signal.sender == service || signal.sender == sender) && signal.interface == interface && signal.member == member
        && (path == nil || path == signal.path) && (first == nil || first == signal.arguments.first?.text)
    }

    /// Returns the rules that a subscription sends to the bus: its own, and those for the owners of the services' names.
    static func subscribed(_ rules: [DBusRule]) -> [DBusRule] { services(of: rules).map { DBusRule.presence(of: $0) } + rules }

    /// Returns the names of the services of rules, without the bus itself, sorted.
    static func services(of rules: [DBusRule]) -> [String] {
      Set(rules.map(\.service)).subtracting(["org.freedesktop.DBus"]).sorted()
    }

    /// Returns a rule for changes of a service's properties. - Parameter of: the interface of the properties.
    package static func changes(of interface: String, service: String, path: String? = nil) -> DBusRule {
      DBusRule(
        service: service, path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        first: interface)
    }

    /// Returns a rule for changes of the owner of a service's name: the service starts, ends or is replaced.
    package static func presence(of service: String) -> DBusRule {
      DBusRule(
        service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged", first: service)
    }
  }

  /// A message of libsystemd that is read or written. Only the thread of its connection uses it.
  struct DBusMessage: ~Copyable {
    let pointer: OpaquePointer
    private let library: UnsafePointer<CDBusFunctions>
    /// The maximum nesting of values. The services that are used here nest at most three levels.
    private static let deepest = 32

    /// Takes ownership of a message.
    init(owning pointer: OpaquePointer, _ library: UnsafePointer<CDBusFunctions>) {
      self.pointer = pointer
      self.library = library
    }

    static func make(
      _ call: DBusCall, on bus: OpaquePointer, _ library: UnsafePointer<CDBusFunctions>
    ) throws(DBusError) -> DBusMessage {
      var made: OpaquePointer?
      let code = library.pointee.sd_bus_message_new_method_call(bus, &made, call.service, call.path, call.interface, call.member)
      guard code >= 0, let made else {
        throw DBusError(.malformed, "\(call.member) of \(call.service) cannot be called: \(reason(code)).")
      }
      let message = DBusMessage(owning: made, library)
      if !call.startsService { _ = library.pointee.sd_bus_message_set_auto_start(made, 0) }
      for argument in call.arguments { try message.append(argument) }
      return message
    }

    deinit { _ = library.pointee.sd_bus_message_unref(pointer) }

    static func reason(_ code: Int32) -> String { String(cString: strerror(abs(code))) }

    private static func check(_ code: Int32) throws(DBusError) {
      guard code < 0 else { return }
      throw DBusError(.malformed, "A message cannot be read or written: \(reason(code)).")
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

    // MARK: Head

    var isSignal: Bool { library.pointee.sd_bus_message_is_signal(pointer, nil, nil) > 0 }
    var isCall: Bool { library.pointee.sd_bus_message_is_method_call(pointer, nil, nil) > 0 }
    var sender: String { Self.text(library.pointee.sd_bus_message_get_sender(pointer)) }

    /// The cookie of the call that this message replies to; `nil`: it is not a reply.
    var answered: UInt64? {
      var cookie: UInt64 = 0
      return library.pointee.sd_bus_message_get_reply_cookie(pointer, &cookie) >= 0 ? cookie : nil
    }

    /// The name and the message of an error reply; `nil`: it is not an error.
    var error: (name: String, message: String)? {
      guard let error = library.pointee.sd_bus_message_get_error(pointer) else { return nil }
      return (Self.text(error.pointee.name), Self.text(error.pointee.message))
    }

    func signal() throws(DBusError) -> DBusSignal {
      DBusSignal(
        sender: sender, path: Self.text(library.pointee.sd_bus_message_get_path(pointer)),
        interface: Self.text(library.pointee.sd_bus_message_get_interface(pointer)),
        member: Self.text(library.pointee.sd_bus_message_get_member(pointer)), arguments: try body())
    }

    // MARK: Reading

    /// Reads all values. A message can be read only once.
    func body() throws(DBusError) -> [DBusValue] { try values(depth: 0) }

    private func values(depth: Int) throws(DBusError) -> [DBusValue] {
      guard depth <= Self.deepest else {
        throw DBusError(.malformed, "A message nests values more than \(Self.deepest) deep.")
      }
      var values: [DBusValue] = []
      while let value = try next(depth: depth) { values.append(value) }
      return values
    }

    /// Reads the next value; `nil`: the end of the current container.
    private func next(depth: Int) throws(DBusError) -> DBusValue? {
      var type: CChar = 0
      var contents: UnsafePointer<CChar>?
      let code = library.pointee.sd_bus_message_peek_type(pointer, &type, &contents)
      try Self.check(code)
      guard code > 0 else { return nil }
      switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
      case "y": return .byte(try basic(type, 0))
      case "b": return .boolean(try basic(type, Int32(0)) != 0)
      case "n": return .int16(try basic(type, 0))
      case "q": return .uint16(try basic(type, 0))
      case "i": return .int32(try basic(type, 0))
      case "u": return .uint32(try basic(type, 0))
      case "x": return .int64(try basic(type, 0))
      case "t": return .uint64(try basic(type, 0))
      case "d": return .double(try basic(type, 0))
      case "s": return .string(Self.text(try basic(type, nil)))
      case "o": return .path(Self.text(try basic(type, nil)))
      case "g": return .signature(Self.text(try basic(type, nil)))
      case "a":
        let element = Self.text(contents)
        if element == "y" { return .bytes(try byteArray()) }
        let elements = try inside(type, contents, depth)
        guard element.hasPrefix("{") else { return .array(of: element, elements) }
        let entries = elements.compactMap { element -> DBusValue.Entry? in
          guard case .structure(let pair) = element, pair.count == 2 else { return nil }
          return DBusValue.Entry(key: pair[0], value: pair[1])
        }
        return .dictionary(of: String(element.dropFirst().dropLast()), entries)
      // An entry of a dictionary is read like a structure with two fields.
      case "r", "e": return .structure(try inside(type, contents, depth))
      case "v":
        guard let value = try inside(type, contents, depth).first else {
          throw DBusError(.malformed, "A message has an empty variant.")
        }
        return .variant(value)
      case let other: throw DBusError(.malformed, "A message has a value of the type \"\(other)\".")
      }
    }

    /// Reads a value of a basic type.
    /// - Parameter empty: any value of the expected type, which determines the size of the memory.
    private func basic<Value>(_ type: CChar, _ empty: Value) throws(DBusError) -> Value {
      var value = empty
      let code = withUnsafeMutablePointer(to: &value) { library.pointee.sd_bus_message_read_basic(pointer, type, $0) }
      try Self.check(code)
      return value
    }

    private func basic(_ type: CChar, _ empty: UnsafePointer<CChar>?) throws(DBusError) -> UnsafePointer<CChar>? {
      var value = empty
      let code = withUnsafeMutablePointer(to: &value) { library.pointee.sd_bus_message_read_basic(pointer, type, $0) }
      try Self.check(code)
      return value
    }

    private func byteArray() throws(DBusError) -> [UInt8] {
      var start: UnsafeRawPointer?
      var count = 0
      try Self.check(library.pointee.sd_bus_message_read_array(pointer, CChar(UInt8(ascii: "y")), &start, &count))
      return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func inside(_ type: CChar, _ contents: UnsafePointer<CChar>?, _ depth: Int) throws(DBusError) -> [DBusValue] {
      try Self.check(library.pointee.sd_bus_message_enter_container(pointer, type, contents))
      let values = try values(depth: depth + 1)
      try Self.check(library.pointee.sd_bus_message_exit_container(pointer))
      return values
    }

    // MARK: Writing

    private func append(_ value: DBusValue) throws(DBusError) {
      switch value {
      case .byte(let number): try append("y", number)
      // D-Bus encodes a boolean as four bytes.
      case .boolean(let boolean): try append("b", Int32(boolean ? 1 : 0))
      case .int16(let number): try append("n", number)
      case .uint16(let number): try append("q", number)
      case .int32(let number): try append("i", number)
      case .uint32(let number): try append("u", number)
      case .int64(let number): try append("x", number)
      case .uint64(let number): try append("t", number)
      case .double(let number): try append("d", number)
      case .string(let text): try append("s", text: text)
      case .path(let text): try append("o", text: text)
      case .signature(let text): try append("g", text: text)
      case .bytes(let bytes): try append("a", "y", bytes.map { .byte($0) })
      case .array(let element, let values): try append("a", element, values)
      case .structure(let fields): try append("r", fields.map(\.type).joined(), fields)
      case .variant(let value): try append("v", value.type, [value])
      case .dictionary(let types, let entries):
        try Self.check(library.pointee.sd_bus_message_open_container(pointer, CChar(UInt8(ascii: "a")), "{" + types + "}"))
        for entry in entries { try append("e", types, [entry.key, entry.value]) }
        try Self.check(library.pointee.sd_bus_message_close_container(pointer))
      }
    }

    private func append<Value>(_ type: Unicode.Scalar, _ value: Value) throws(DBusError) {
      let code = withUnsafePointer(to: value) { library.pointee.sd_bus_message_append_basic(pointer, CChar(type.value), $0) }
      try Self.check(code)
    }

    private func append(_ type: Unicode.Scalar, text: String) throws(DBusError) {
      // A zero byte would end the string early.
      guard !text.utf8.contains(0) else { throw DBusError(.malformed, "A string with a zero byte cannot be sent.") }
      try Self.check(text.withCString { library.pointee.sd_bus_message_append_basic(pointer, CChar(type.value), $0) })
    }

    private func append(_ type: Unicode.Scalar, _ contents: String, _ values: [DBusValue]) throws(DBusError) {
      try Self.check(library.pointee.sd_bus_message_open_container(pointer, CChar(type.value), contents))
      for value in values { try append(value) }
      try Self.check(library.pointee.sd_bus_message_close_container(pointer))
    }
  }
#endif
