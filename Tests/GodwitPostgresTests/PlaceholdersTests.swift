import Testing

@testable import GodwitPostgres

@Suite("Placeholders")
struct PlaceholdersTests {
  static let statements: [(sql: String, translated: String, count: Int)] = [
    ("SELECT 1", "SELECT 1", 0),
    ("SELECT ?, ? + ?", "SELECT $1, $2 + $3", 3),
    ("SELECT ?2, ?1, ?2", "SELECT $2, $1, $2", 2),
    ("?10 ?1", "$10 $1", 10),
    ("'?' || ? || 'it''s ?' || ?", "'?' || $1 || 'it''s ?' || $2", 2),
    (#"SELECT "a?b", "c""?" WHERE x = ?"#, #"SELECT "a?b", "c""?" WHERE x = $1"#, 1),
    ("? -- why?\n ?", "$1 -- why?\n $2", 2),
    ("? - ? -? --?", "$1 - $2 -$3 --?", 3),
    ("? /* a ? /* ? */ ? */ ? / ?", "$1 /* a ? /* ? */ ? */ $2 / $3", 3),
    ("$$ ? $$ ? $tag$ ? $$ ? $tag$ ?", "$$ ? $$ $1 $tag$ ? $$ ? $tag$ $2", 2),
    (#"E'a\'?' ? e'\\' ? E'a''\'?' ?"#, #"E'a\'?' $1 e'\\' $2 E'a''\'?' $3"#, 3),
    (#"'a\' ? type'\' ?"#, #"'a\' $1 type'\' $2"#, 2),
    ("'ä?' ? \"ö?", "'ä?' $1 \"ö?", 1),
    ("'never ended ?", "'never ended ?", 0),
    ("/* never ended ?", "/* never ended ?", 0),
    ("$a$ never ended ?", "$a$ never ended ?", 0),
    ("E'\\", "E'\\", 0),
    ("", "", 0),
  ]

  @Test("are numbered, but not in quotes and comments", arguments: statements)
  func translation(_ sql: String, _ translated: String, _ count: Int) {
    let placeholders = Placeholders(sql)
    #expect(placeholders.count == count)
    #expect(placeholders.sql(isNull: Array(repeating: false, count: count)) == translated)
  }

  @Test("for NULL are replaced by NULL, and the others keep their order")
  func nulls() {
    let placeholders = Placeholders("SELECT ?1 IS NULL OR device = ?1, ?3, ?2")
    #expect(placeholders.sql(isNull: [true, false, false]) == "SELECT NULL IS NULL OR device = NULL, $2, $1")
    #expect(placeholders.sql(isNull: [false, false, true]) == "SELECT $1 IS NULL OR device = $1, NULL, $2")
  }
}
