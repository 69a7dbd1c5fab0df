#if os(Linux)
  import Foundation
  import Godwit
  import Testing

  @Suite("The identifier of the machine")
  struct MachineIdentifierTests {
    private static let hasOne = FileManager.default.contents(atPath: "/etc/machine-id").map { $0.count >= 32 } ?? false

    @Test(
      "it is a constant UUID, different from the machine-id of the system", .enabled(if: hasOne, "this machine has no machine-id")
    )
    func stable() throws {
      let identifier = try #require(MachineIdentifier.current)
      #expect(UUID(uuidString: identifier)?.uuidString == identifier)
      #expect(MachineIdentifier.current == identifier)
      let system = try String(contentsOfFile: "/etc/machine-id", encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(identifier.replacingOccurrences(of: "-", with: "").lowercased() != system)
    }
  }
#endif
