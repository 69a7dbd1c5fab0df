import Foundation
import GodwitEngine
import GodwitModel
import Testing

// A server may respond with 5xx to every attempt because of one record of the batch.
@Suite("A server that fails repeatedly at a batch")
struct FaultTests {
  private func fault(_ count: Int, status: Int = 500) -> UploadResult {
    .faulted(reason: "status \(status)", status: status, count: count, jitter: 0)
  }

  /// Fires the timer of the next upload and returns its request; `nil` if no upload is scheduled.
  private func next(_ engine: inout EngineUnderTest) -> UploadRequest? {
    guard let time = engine.timers[.send(home)] else { return nil }
    for case .upload(home, let request) in engine.send(.timerFired(.send(home)), time) { return request }
    return nil
  }

  private func engine(waiting: Int) -> EngineUnderTest {
    var engine = EngineUnderTest { $0.main.batchSize = 50 }
    for second in 0..<waiting { engine.fixes(Double(second), north: Double(second) * 100) }
    engine.send(.sendNow, 1000)
    return engine
  }

  @Test("after three equal responses the batch is halved, down to one record, which is then compared with the next record")
  func halving() throws {
    var engine = engine(waiting: 50)
    var (count, asked, time) = (50, [Int](), 1001.0)
    while count > 1 {
      for attempt in 1...3 {
        engine.send(.uploadFinished(home, fault(count)), time)
        let request = try #require(next(&engine))
        time = (engine.timers.values.max() ?? time) + 5000
        #expect(!request.isProbing)
        if attempt < 3 { #expect(request.limit == count) } else { asked.append(request.limit) }
        if attempt == 3 { count = request.limit }
      }
    }
    #expect(asked == [25, 12, 6, 3, 1])
    for attempt in 1...3 {
      engine.send(.uploadFinished(home, fault(1)), time)
      let request = try #require(next(&engine))
      time += 5000
      #expect(request.isProbing == (attempt == 3) && request.limit == 1)
    }
    // The next record fails as well, so the server is at fault. No record is compared until three more failures.
    engine.send(.uploadFinished(home, fault(1)), time)
    let after = try #require(next(&engine))
    #expect(!after.isProbing)
    #expect(!engine.effects.contains { if case .quarantine = $0 { true } else { false } })
  }

  @Test("different responses, and delays that a server requests, halve nothing")
  func others() throws {
    var engine = engine(waiting: 50)
    var time = 1001.0
    for status in [500, 502, 500, 502, 500, 502] {
      engine.send(.uploadFinished(home, fault(50, status: status)), time)
      let request = try #require(next(&engine))
      #expect(request.limit == 50)
      time += 5000
    }
    for _ in 0..<6 {
      engine.send(.uploadFinished(home, .failed(reason: "busy", retryAfter: 2, jitter: 0)), time)
      let request = try #require(next(&engine))
      #expect(request.limit == 50)
      time += 5000
    }
  }

  @Test("a batch that is too large for the server is halved at once")
  func tooLarge() throws {
    var engine = engine(waiting: 50)
    engine.send(.uploadFinished(home, fault(50, status: 413)), 1001)
    let request = try #require(next(&engine))
    #expect(request.limit == 25)
  }

  @Test("due records are sent in smaller batches, whose size is stored and increased in small steps")
  func remembersSize() throws {
    var engine = engine(waiting: 3000)
    let maximum = 30
    var (remaining, time, tooLarge, sent) = (3000, 4001.0, 0, [Int]())
    var limit = 50
    while remaining > 0, sent.count < 200 {
      let effects: [Effect]
      if min(limit, remaining) > maximum {
        tooLarge += 1
        effects = engine.send(.uploadFinished(home, fault(min(limit, remaining), status: 413)), time)
      } else {
        sent.append(min(limit, remaining))
        remaining -= min(limit, remaining)
        effects = engine.accept(remaining: remaining, at: time)
      }
      if remaining == 0 { break }
      if let next = effects.requests.first {
        limit = next.limit
      } else {
        limit = try #require(next(&engine)).limit
      }
      time += 20
    }
    #expect(remaining == 0 && tooLarge * 8 < sent.count && sent.first == 25 && sent.allSatisfy { $0 >= 25 || $0 == sent.last })
  }

  @Test("the rest of a due batch does not wait for the next interval", arguments: [413, 500])
  func rest(_ status: Int) throws {
    var engine = EngineUnderTest { $0.main.batchSize = 50 }
    // The fiftieth record completes the batch.
    for second in 0..<50 { engine.fixes(Double(second), north: Double(second) * 100) }
    for _ in 0..<(status == 413 ? 1 : 3) {
      engine.send(.uploadFinished(home, fault(50, status: status)), 1001)
      _ = next(&engine)
    }
    #expect(engine.accept(remaining: 25, at: 2000).uploads == [home])
    #expect(engine.accept(remaining: 0, at: 2001).uploads.isEmpty)
  }

  @Test("a success ends the search")
  func success() throws {
    var engine = engine(waiting: 50)
    var time = 1001.0
    for _ in 0..<3 {
      engine.send(.uploadFinished(home, fault(50)), time)
      _ = next(&engine)
      time += 5000
    }
    let effects = engine.accept(remaining: 25, at: time)
    let request = try #require(effects.requests.first)
    #expect(request.limit == 50 && !request.isProbing)
  }

  @Test("an endpoint counts as failing only while attempts fail, and not during an upload")
  func failing() throws {
    var engine = engine(waiting: 50)
    #expect(!engine.engine.isFailing(home))
    engine.send(.uploadFinished(home, .failed(reason: "no answer", retryAfter: nil, jitter: 0)), 1001)
    #expect(engine.engine.isFailing(home))
    _ = next(&engine)
    #expect(!engine.engine.isFailing(home))
    engine.accept(remaining: 0, at: 5000)
    #expect(!engine.engine.isFailing(home))
  }

  @Test("a loss of records produces a notice with the total, and lost records are no longer pending")
  func loss() throws {
    var engine = EngineUnderTest { $0.notifies = true }
    for second in 0..<10 { engine.fixes(Double(second), north: Double(second) * 100) }
    engine.send(.recordsLost(home, count: 4, isOld: true), 20)
    let effects = engine.send(.recordsLost(home, count: 2, isOld: true), 30)
    #expect(effects.notices == [.loss])
    let body = "6 records will not reach home. They exceeded the setting retention while uploads to the endpoint failed."
    #expect(effects.notice(.loss)?.body == body)
    #expect(engine.engine.lostRecords == [home: 6] && engine.engine.status(of: home)?.waiting == 4)
    let rejected = engine.send(.quarantinedLost(home, count: 1, isOld: true), 40)
    #expect(rejected.notice(.loss)?.body.contains("It had rejected them") == true)
    #expect(engine.engine.lostRecords == [home: 7] && engine.engine.status(of: home)?.waiting == 4)
  }
}

// Settings of one endpoint's server must not make another endpoint lose data.
@Suite("Logging modes that a server sets")
struct ServerModeTests {
  private func modes(_ effects: [Effect]) -> [EndpointID: LoggingMode] {
    effects.reduce(into: [:]) { modes, effect in
      if case .upload(let endpoint, let request) = effect { modes[endpoint] = request.loggingMode }
    }
  }

  private let desired = Event.settingsOffered(other, [DesiredSetting(name: "main.logging_mode", value: .text("latest"))])

  @Test("apply to that server's endpoint only, until the user changes them")
  func own() {
    var engine = EngineUnderTest(plans: [EndpointPlan(home), EndpointPlan(other)])
    engine.send(desired, 1)
    #expect(engine.engine.settings.main.loggingMode == .latest)
    engine.fixes(2)
    #expect(modes(engine.send(.sendNow, 3)) == [home: .all, other: .latest])
    for endpoint in [home, other] { engine.accept(endpoint, at: 4) }
    engine.send(.settingsSet([DesiredSetting(name: "main.logging_mode", value: .text("all"))]), 5)
    engine.send(.settingsSet([DesiredSetting(name: "main.logging_mode", value: .text("latest"))]), 6)
    engine.fixes(7, north: 1000)
    #expect(modes(engine.send(.sendNow, 8)) == [home: .latest, other: .latest])
  }

  @Test("still apply after a relaunch")
  func relaunched() {
    var engine = EngineUnderTest(unlaunched: Settings(), plans: [EndpointPlan(home), EndpointPlan(other)])
    var settings = Settings()
    settings.main.loggingMode = .latest
    engine.engine = Engine(settings: settings, plans: [EndpointPlan(home), EndpointPlan(other)])
    var launch = Launch(wasTracking: true, waiting: [home: 5, other: 5])
    launch.setByServer = ["main.logging_mode"]
    launch.serverModes = ["main.logging_mode": ServerMode(endpoint: other, before: .all)]
    engine.send(.launched(launch), 0)
    #expect(modes(engine.send(.sendNow, 1)) == [home: .all, other: .latest])
  }
}
