#if os(Linux)
  package import CDBus
  internal import Glibc

  /// libsystemd, which implements D-Bus. It is loaded when a bus is first used, so a program without a bus does not need it.
  package enum DBusLibrary {
    /// `@unchecked Sendable`: the table of functions is immutable and never freed.
    private struct Loaded: @unchecked Sendable {
      let functions: UnsafePointer<CDBusFunctions>?
      let reason: String
    }

    private static let systemd = load("libsystemd.so.0")

    /// Returns the functions of the library.
    /// - Throws: ``DBusError`` if the library cannot be loaded.
    package static func functions() throws(DBusError) -> UnsafePointer<CDBusFunctions> { try functions(of: systemd) }

    /// Returns the functions of a library with another name, for tests.
    static func functions(named name: String) throws(DBusError) -> UnsafePointer<CDBusFunctions> {
      try functions(of: load(name))
    }

    private static func functions(of library: Loaded) throws(DBusError) -> UnsafePointer<CDBusFunctions> {
      if let functions = library.functions { return functions }
      throw DBusError(
        .noBus,
        "libsystemd, which connects to the message bus, cannot be loaded (\(library.reason)). Install the package libsystemd0.")
    }

    private static func load(_ name: String) -> Loaded {
      var text: UnsafeMutablePointer<CChar>?
      let functions = CDBusLoad(name, &text)
      defer { free(text) }
      return Loaded(functions: functions, reason: text.map { String(cString: $0) } ?? "no reason is known")
    }
  }
#endif
