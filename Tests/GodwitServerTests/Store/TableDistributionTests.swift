import Foundation
import GodwitSQLite
import Testing

@testable import GodwitServer

@Suite("Distribution of tables")
struct TableDistributionTests {
  @Test("every table of the schema is distributed or local, and distributed tables have a device")
  func complete() throws {
    let schema = ServerSchema.postgresSteps.map(\.sql).joined(separator: "\n")
    let tables = schema.matches(of: /CREATE (?:UNLOGGED )?TABLE (\w+) \(([^;]*)\)/).map {
      (name: String($0.output.1), text: $0.output.2)
    }
    let others: Set<String> = ["schema_migrations"]
    #expect(Set(tables.map(\.name)).union(others) == TableDistribution.local.union(TableDistribution.byDevice))
    #expect(TableDistribution.local.isDisjoint(with: TableDistribution.byDevice))
    for table in tables where TableDistribution.byDevice.contains(table.name) {
      #expect(table.text.contains(/\bdevice (BIGINT|INTEGER)/), "\(table.name)")
    }
  }
}
