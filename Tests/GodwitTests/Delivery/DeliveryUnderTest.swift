import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import Testing

@testable import Godwit
@testable import GodwitDelivery
@testable import GodwitJournal

/// A delivery with its own journal, and a server in memory that stores the requests unchanged.
final class DeliveryUnderTest: Sendable {
  typealias Answering = @Sendable (HTTPClient.Request, Int) throws -> HTTPClient.Response

  private final class Log: Sendable { let requests = Mutex<[HTTPClient.Request]>([]) }

  let folder: URL
  let journal: Journal
  let delivery: Delivery
  /// The boot clock of the journal.
  let uptime = Uptime()
  private let log = Log()

  /// - Parameters:
  ///   - now: the current time.
  ///   - isKnown: whether the endpoint "home" is known to be a Godwit server.
  ///   - response: returns the response to a request; its second argument is the number of earlier requests.
  init(now: Date = start.addingTimeInterval(100_000), isKnown: Bool = true, _ response: @escaping Answering = { _, _ in .godwit })
    throws
  {
    // In memory if the system has such a folder: these tests do not depend on a disk, and commits to memory are faster.
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let parent = FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    folder = parent.appendingPathComponent("godwit-delivery-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    journal = try Journal(
      path: folder.appendingPathComponent("journal").path, newID: 0xABC, uptime: { [uptime] in uptime.seconds })
    if isKnown { try journal.recognize(endpoint: "home", as: .godwit) }
    let log = log
    let client = HTTPClient { request in
      let number = log.requests.withLock { requests in
        requests.append(request)
        return requests.count - 1
      }
      return try response(request, number)
    }
    delivery = Delivery(journal: journal, client: client, now: { now })
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var requests: [HTTPClient.Request] { log.requests.withLock { $0 } }
  var texts: [String] { requests.map { String(decoding: $0.body, as: UTF8.self) } }
  /// The addresses and bodies of all requests, which are the parts that may contain positions.
  var sentText: String {
    requests.map { "\($0.url.absoluteString)\n\(String(decoding: $0.body, as: UTF8.self))" }.joined(separator: "\n")
  }

  /// The ranges of numbers in the headers of the requests.
  var ranges: [ClosedRange<Int64>] {
    requests.compactMap { request in
      guard let range = request.headers["Godwit-Range"].flatMap({ SequenceRange($0) }),
        range.journal == (try? journal.numbering(endpoint: "home").identifier)
      else {
        return nil
      }
      return range.since == nil || range.since == 1
        ? range.numbers.lowerBound.value...range.numbers.upperBound.value : nil
    }
  }

  /// Sends until no record waits, as the engine does.
  func sendAll(to endpoint: Endpoint, limit: Int = 50, mode: LoggingMode = .all, settings: Settings = Settings()) async throws {
    for _ in 0..<1000 {
      let outcome = await delivery.upload(to: endpoint, UploadRequest(limit: limit, loggingMode: mode), settings: settings)
      switch outcome {
      case .acknowledged where journal.waiting(endpoint: endpoint.id.name) > 0: continue
      case .acknowledged, .nothingToSend: return
      case .rejected(let reason, let count):
        try #require(count == 1, "\(reason)")
        try delivery.quarantineNext(of: endpoint.id, reason: reason)
      case .failed(let reason, _), .faulted(let reason, _, _), .unauthorized(let reason): throw HTTPError(reason)
      case .notYet: return
      }
    }
    Issue.record("records still wait after 1,000 uploads")
  }
}

extension HTTPClient.Response {
  /// The response of a Godwit server.
  static let godwit = HTTPClient.Response(
    status: 200, body: Array(#"{"result":"ok","saved":1,"duplicates":0,"rejected":[]}"#.utf8))
  /// The response of another server.
  static let otherServer = HTTPClient.Response(status: 200, body: Array(#"{"result":"ok"}"#.utf8))
}

func endpoint(
  _ format: any EndpointFormat = OverlandFormat(), _ address: String = "https://home.example/api", token: TokenSource = .none
) throws -> Endpoint {
  Endpoint(id: EndpointID("home"), address: try URLTemplate(address), token: token, format: format)
}

/// Returns a fix with all fields, whose values are easy to find in a text.
func recordWithAllFields(_ seconds: Double, latitude: Double = 45.452595614, longitude: Double = 14.018194094) throws -> Record {
  var context = DeviceContext(
    batteryLevel: 0.29, batteryState: .charging, motion: [.walking], wifi: "HomeNetwork", deviceID: "anna/phone")
  context.wifiBSSID = "aa:bb:cc:dd:ee:ff"
  context.carrier = "MobiCarrier"
  context.deviceModel = "ModelFifteen"
  context.systemVersion = "SystemEighteen"
  context.permission = .always
  context.advertising = AdvertisingID(id: "6d92078a-8246-4ba4-ae5b-76104861e7dc", isOptedOut: false)
  return Record(
    kind: .fix(
      Fix(
        time: start.addingTimeInterval(seconds),
        coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)), horizontalAccuracy: 4.567,
        altitude: 753.329, verticalAccuracy: 3.2, speed: 6.78, course: 123.4)), context: context)
}

/// A boot clock that the test advances.
final class Uptime: Sendable {
  private let state = Mutex(0.0)
  var seconds: Double { state.withLock { $0 } }
  func advance(_ seconds: Double) { state.withLock { $0 += seconds } }
}
