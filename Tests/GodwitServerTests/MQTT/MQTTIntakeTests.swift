import Foundation
import Synchronization
import Testing

@testable import GodwitIntake
@testable import GodwitServer
@testable import GodwitStore

@Suite("Messages of a broker when the store fails", .timeLimit(.minutes(20)))
struct MQTTIntakeTests {
  private struct OtherError: Error {}

  /// Fails the first transactions of records.
  private final class FailingParticipant: CommitParticipant {
    private let error: any Error
    private let failures: Mutex<Int>

    init(_ error: any Error, times: Int) {
      self.error = error
      failures = Mutex(times)
    }

    func begin(_ group: [Submission], _ db: any SQLConnection) throws {
      let isFailing = failures.withLock { left in
        left -= 1
        return left >= 0
      }
      if isFailing { throw error }
    }

    func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {}
    func discardState() {}
  }

  /// Passes a message to a server whose store fails three times with an error, and expects what is stored then.
  private func check(_ error: any Error, _ kind: StoreKind, points: Int, rejected: Int) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { accounts in
      _ = try await accounts.device("phone", of: nil)
      let (server, notes) = (accounts.server, Notes())
      let services = MQTTServices(
        store: server.store, appConfigurations: server.stores.appConfigurations, inbox: server.receivers.inbox,
        maximumBody: 1 << 20)
      let configuration = MQTTConfiguration(broker: try BrokerAddress("mqtt://127.0.0.1:1"))
      let intake = MQTTIntake(services, configuration, MQTTStatus { notes.add($0) }, try MQTTWakeUpPipe())
      server.store.addParticipant(FailingParticipant(error, times: 3))
      let message = MQTTSession.Message(topic: "owntracks/jane/phone", body: Array(AppMessage.location().utf8), isReplay: false)
      let isStored = intake.handle([message]) { _ in }
      #expect(isStored)
      #expect(notes.all.filter { $0.contains("the store rejects the broker's messages") }.count == 1, "\(notes.all)")
      #expect(try server.store.devices().map(\.points) == [points])
      #expect(try server.store.rejections(device: nil, limit: 10).count == rejected)
    }
  }

  @Test("a message that arrives while the disk is full becomes a point when there is space again", arguments: StoreKind.tested)
  func full(_ kind: StoreKind) async throws { try await check(StoreFault(.full), kind, points: 1, rejected: 0) }

  @Test("a message that the store does not accept is stored as a rejected record", arguments: StoreKind.tested)
  func faulty(_ kind: StoreKind) async throws { try await check(OtherError(), kind, points: 0, rejected: 1) }
}
