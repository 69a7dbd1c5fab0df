#if os(Linux)
  @testable import GodwitDBus
  import Testing

  @Suite("libsystemd, which is loaded when it is needed")
  struct DBusLibraryTests {
    @Test("without the library the error says what to install; without a function the error names it")
    func missing() throws {
      let absent = #expect(throws: DBusError.self) { _ = try DBusLibrary.functions(named: "libabsent.so.0") }
      #expect(absent?.code == .noBus && absent?.description.contains("Install the package libsystemd0") == true)
      let other = #expect(throws: DBusError.self) { _ = try DBusLibrary.functions(named: "libm.so.6") }
      #expect(other?.description.contains("libm.so.6 has no sd_bus_open_system") == true)
    }

    @Test("the library of this machine is loaded once")
    func loaded() throws { #expect(try DBusLibrary.functions() == DBusLibrary.functions()) }
  }
#endif
