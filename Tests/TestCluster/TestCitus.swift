import Foundation
import Synchronization

/// A coordinator and two workers of Citus, an extension of PostgreSQL that is not in Debian.
public final class TestCitus: Sendable {
  /// The cluster that all tests of a process share.
  public static func shared() throws -> TestCitus { try sharedCluster.get() }
  private static let sharedCluster = Result { try TestCitus() }

  public let coordinator: TestCluster
  public let workers: [TestCluster]
  private let made = Atomic<Int>(0)

  /// - Parameter hasChecksums: whether the coordinator's pages have checksums.
  public init(hasChecksums: Bool = true) throws {
    coordinator = try TestCluster(standbyOf: nil, extension: "citus", hasChecksums: hasChecksums)
    workers = try (0..<2).map { _ in try TestCluster(standbyOf: nil, extension: "citus") }
  }

  /// Makes a database on all nodes.
  /// - Parameter original: a database of the coordinator without sessions, of which the coordinator has a copy; `nil`: an empty one.
  public func makeDatabase(copyOf original: TestDatabase? = nil) throws -> TestDatabase {
    let name = "distributed\(made.add(1, ordering: .relaxed).newValue)"
    for node in [coordinator] + workers {
      if let original, node === coordinator {
        try node.sql("CREATE DATABASE \(name) TEMPLATE \(original.name)", in: "postgres")
      } else {
        try node.makeDatabase(named: name, encoding: "UTF8")
      }
      try node.sql("CREATE EXTENSION citus", in: name)
    }
    try coordinator.sql("SELECT citus_set_coordinator_host('127.0.0.1', \(coordinator.port))", in: name)
    for worker in workers { try coordinator.sql("SELECT citus_add_node('127.0.0.1', \(worker.port))", in: name) }
    return TestDatabase(named: name, in: coordinator)
  }
}
