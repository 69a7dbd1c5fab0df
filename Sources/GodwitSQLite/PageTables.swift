internal import CSQLite

/// Finds the tables and indexes to which pages of a database file belong.
package enum PageTables {
  /// Searches pages in the B-trees of all tables and indexes. Overflow pages, pages of the free list, and pages below a damaged
  /// page are not found.
  /// - Parameters:
  ///   - pages: the numbers of pages.
  ///   - path: the database file.
  /// - Returns: the name of the table or index, for each page that was found.
  package static func names(of pages: [UInt32], in path: String, syncsAll: Bool = true) -> [UInt32: String] {
    var wanted = Set(pages)
    var names: [UInt32: String] = [:]
    guard !wanted.isEmpty, let database = try? Database(path: path, access: .readOnly, syncsAll: syncsAll),
      let roots = try? database.statement("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"),
      let file = CheckedFileSystem.plainFile(of: database.handle),
      let pageSize = CheckedFileSystem.file(of: database.handle)?.layout?.pageSize
    else { return [:] }
    defer { roots.reset() }
    withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 16) { page in
      while !wanted.isEmpty, (try? roots.step()) == true {
        guard let root = (try? roots.integer("rootpage")).flatMap({ UInt32(exactly: $0) }), let name = try? roots.text("name")
        else {
          continue
        }
        var (next, seen) = ([root], Set([root]))
        while let number = next.popLast() {
          if wanted.remove(number) != nil { names[number] = name }
          guard file.read(page, Int64(number - 1) * Int64(pageSize)) else { continue }
          let isIntact = PageChecksum.matches(UnsafeRawBufferPointer(page), number: number)
          for child in isIntact ? children(of: UnsafeRawBufferPointer(page), number) : []
          where child > 0 && seen.insert(child).inserted {
            next.append(child)
          }
        }
      }
    }
    return names
  }

  /// The child pages of a page of a B-tree; none for a leaf page. SQLite's file format, 1.6.
  private static func children(of page: UnsafeRawBufferPointer, _ number: UInt32) -> [UInt32] {
    let start = number == 1 ? PageLayout.headerSize : 0
    // The kinds of interior pages: of indexes (2) and of tables (5).
    guard page[start] == 2 || page[start] == 5 else { return [] }
    func short(_ place: Int) -> Int { Int(page[place]) << 8 | Int(page[place + 1]) }
    var children = [page.number(at: start + 8)]
    for cell in 0..<short(start + 3) {
      let pointer = start + 12 + 2 * cell
      guard pointer + 2 <= page.count, short(pointer) + 4 <= page.count else { break }
      children.append(page.number(at: short(pointer)))
    }
    return children
  }
}
