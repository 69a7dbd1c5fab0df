// Only this import: the file does not compile where the module lacks a name.
import GodwitFiles
import Testing

@Suite("Names that import GodwitFiles provides")
struct FilesNamesTests {
  @Test("the types for tracks are available without another import")
  func names() {
    let types: [Any.Type] = [TrackFile.self, TrackFileError.self, TrackSkip.self, GPXWriter.self, DateOrder.self]
    #expect(RecordOptions() == RecordOptions() && Set(types.map { "\($0)" }).count == types.count)
  }
}
