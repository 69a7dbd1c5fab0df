#if os(Linux)
  @testable import GodwitDBus
  import Testing

  @Suite("Loading libsystemd")
  struct DBusLibraryTests {
    @Test("the error for a missing library names the package, and that for a missing function names the function")
    func missing() throws {
      let absent = #expect(throws: DBusError.self) { _ = try DBusLibrary.functions(named: "libabsent.so.0") }
      #expect(absent?.code == .noBus && absent?.description.contains("Install the package libsystemd0") == true)
      let other = #expect(throws: DBusError.self) { _ = try DBusLibrary.functions(named: "libm.so.6") }
      #expect(other?.description.contains("libm.so.6 has no sd_bus_open_system") == true)
    }

    @Test("the installed library is loaded once")
    func loaded() throws { #expect(try DBusLibrary.functions() == DBusLibrary.functions()) }
  }
#endif
