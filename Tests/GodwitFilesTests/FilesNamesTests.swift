// Only this import: the file does not compile where the module lacks a name.
import GodwitFiles
import Testing

@Suite("import GodwitFiles")
struct FilesNamesTests {
  @Test("has the names of tracks, which files of records use")
  func names() {
    let types: [Any.Type] = [TrackFile.self, TrackFileError.self, TrackSkip.self, GPXWriter.self, DateOrder.self]
    #expect(RecordOptions() == RecordOptions() && Set(types.map { "\($0)" }).count == types.count)
  }
}
