@testable import GodwitSQLite

extension Database {
  /// Creates a table with some hundred rows and an index, on about 30 pages.
  func fillWithRows() throws {
    try execute(
      "CREATE TABLE points (id INTEGER PRIMARY KEY, latitude REAL, note TEXT); CREATE INDEX notes ON points (note)")
    try transaction {
      for id in 1...800 {
        try run(
          "INSERT INTO points VALUES (?, ?, ?)", id, 46 + Double(id) / 1000, String(repeating: "n\(id) ", count: 5))
      }
      // A row that needs several pages, and deleted rows whose pages are free.
      try run("INSERT INTO points VALUES (?, ?, ?)", 1000, 0.5, String(repeating: "long", count: 4000))
      try execute("DELETE FROM points WHERE id BETWEEN 100 AND 400")
    }
  }
}
