import Foundation
import Testing

@testable import AccuracyData

@Suite("CSV tables")
struct CSVTableTests {

  private func read(_ text: String) throws -> CSVTable {
    let folder = try TemporaryFolder(["a.csv": text])
    return try withExtendedLifetime(folder) { try CSVTable(folder.url.appendingPathComponent("a.csv")) }
  }

  @Test("quoted values may have commas and line breaks, and a row has the number of its first line")
  func quoted() throws {
    let table = try read("a, b ,c\r\n1,\"x, y\",\n\n\"2\",\"two\nlines\",3")
    #expect(table.names == ["a", "b", "c"])
    #expect(table.rows.map(\.values) == [["1", "x, y", ""], ["2", "two\nlines", "3"]])
    #expect(table.rows.map(\.line) == [2, 4])
    #expect(try table.column("c") == 2)
    #expect(throws: DatasetError.self) { try table.column("d") }
    #expect(table.error(table.rows[1], "is wrong").description.contains("a.csv: line 4 is wrong"))
  }

  @Test("a row with a wrong number of values, an empty file and a missing file are reported")
  func wrong() throws {
    let error = try #require(throws: DatasetError.self) { try read("a,b\n1,2\n1,2,3\n") }
    #expect(error.description.contains("line 3"))
    #expect(throws: DatasetError.self) { try read("") }
    #expect(throws: DatasetError.self) { try CSVTable(URL(fileURLWithPath: "/nonexistent/a.csv")) }
  }
}
