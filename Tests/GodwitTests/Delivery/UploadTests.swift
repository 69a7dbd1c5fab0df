import Foundation
import Synchronization
import Testing

@testable import GodwitHTTPClient

/// Tests the portable part of uploads over a background session of Apple's systems.
@Suite("Pending responses", .timeLimit(.minutes(20)))
struct InFlightResponsesTests {
  private func respond(
    _ transit: InFlightResponses, to number: Int, clock: VirtualClock = VirtualClock(), begin: () -> Void,
    cancel: @escaping @Sendable () -> Void = {}
  ) async throws -> HTTPClient.Response {
    try await transit.respond(to: number, within: 60, sleep: { try await clock.sleep($0) }, begin: begin, cancel: cancel)
  }

  @Test("a response in pieces is returned whole, and one that is too long is truncated")
  func pieces() async throws {
    let transit = InFlightResponses()
    let response = try await respond(transit, to: 7) {
      #expect(transit.isWaiting(for: 7) && !transit.isWaiting(for: 8))
      transit.received([1, 2], of: 8)
      transit.received([1, 2], of: 7)
      transit.received([UInt8](repeating: 3, count: HTTPClient.maximumResponseSize), of: 7)
      transit.ended(.answered(status: 200, headers: ["a": "b"]), of: 7)
    }
    #expect(response.status == 200 && response.headers == ["a": "b"])
    #expect(response.body.count == HTTPClient.maximumResponseSize && response.body.prefix(3) == [1, 2, 3])
    #expect(!transit.isWaiting(for: 7))
  }

  @Test("a failure is thrown, and a second or unexpected completion is ignored")
  func failures() async {
    let transit = InFlightResponses()
    transit.ended(.answered(status: 200, headers: [:]), of: 1)
    await #expect(throws: HTTPError("no network")) {
      _ = try await respond(transit, to: 1) {
        transit.ended(.failed(HTTPError("no network")), of: 1)
        transit.ended(.answered(status: 200, headers: [:]), of: 1)
      }
    }
  }

  // A background session has no timeout of its own.
  @Test("an upload without a response is cancelled at its timeout, and a late response still counts")
  func late() async throws {
    for isAnswered in [false, true] {
      let (transit, clock) = (InFlightResponses(), VirtualClock())
      let (begun, begin) = AsyncStream<Void>.makeStream()
      let upload = Task {
        try await respond(
          transit, to: 3, clock: clock, begin: { begin.finish() },
          cancel: {
            transit.ended(isAnswered ? .answered(status: 200, headers: [:]) : .failed(URLError(.cancelled)), of: 3)
          })
      }
      for await _ in begun {}
      while clock.sleeping == 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      clock.advance(59)
      #expect(transit.isWaiting(for: 3))
      clock.advance(1)
      switch await upload.result {
      case .success(let response): #expect(isAnswered && response.status == 200)
      case .failure(let error): #expect(!isAnswered && "\(error)" == "No response within 60.0 s.")
      }
    }
  }
}

@Suite("Requests of Apple's sessions")
struct SystemRequestTests {
  private static let key = Data(repeating: 7, count: 32).base64EncodedString()

  private func request(_ trust: TLSTrust, _ address: String = "https://my.example/api") throws -> HTTPClient.Request {
    HTTPClient.Request(url: try #require(URL(string: address)), body: [1], trust: trust)
  }

  // The pins of a request are compared without their prefix.
  @Test("pins have no prefix in requests, and the system's trust has none")
  func pins() throws {
    #expect(try request(.system).checkedPins() == nil)
    #expect(try request(.pinned(["sha256//" + Self.key, Self.key])).checkedPins() == [Self.key, Self.key])
  }

  @Test(
    "unsupported options are rejected before a request is sent",
    arguments: [
      (.authority(path: "/ca.pem"), "https://my.example/", "authority"),
      (.pinned([]), "https://my.example/", "list of pins is empty"),
      (.pinned(["sha256//short"]), "https://my.example/", "is not a pin"),
      (.pinned([key]), "http://my.example/", "need an encrypted address"),
      (.system, "ftp://my.example/", "must begin with https"),
    ] as [(TLSTrust, String, String)])
  func rejected(_ trust: TLSTrust, _ address: String, _ reason: String) throws {
    let request = try request(trust, address)
    let error = #expect(throws: HTTPError.self) { try request.checkedPins() }
    #expect(error?.description.contains(reason) == true, "\(error as Any)")
  }

  // A background session follows redirects, and a redirected POST is not delivered.
  @Test(
    "a response to another request than the original one is a redirect",
    arguments: [
      ("https://my.example/api", "POST", "https://my.example/api", false),
      ("https://my.example", "POST", "HTTPS://MY.example:443/", false),
      ("https://my.example/api", "GET", "https://my.example/api", true),
      ("https://my.example/api", "POST", "https://my.example/api/", true),
      ("https://my.example/api?a=1", "POST", "https://my.example/api?a=2", true),
      ("http://my.example/api", "POST", "https://my.example/api", true),
      ("https://my.example/api", "POST", "https://portal.example/api", true),
      ("https://my.example/api", "POST", "https://my.example:8443/api", true),
    ])
  func redirects(_ asked: String, _ method: String, _ last: String, _ isRedirect: Bool) throws {
    let (asked, last) = (try #require(URL(string: asked)), try #require(URL(string: last)))
    #expect((HTTPClient.Request.redirect(asked: ("POST", asked), sent: (method, last), answered: last) != nil) == isRedirect)
    // Also without a response, as when the other host was rejected.
    #expect((HTTPClient.Request.redirect(asked: ("POST", asked), sent: (method, last), answered: nil) != nil) == isRedirect)
    #expect(HTTPClient.Request.redirect(asked: ("POST", asked), sent: (nil, nil), answered: nil) == nil)
  }
}

@Suite("Files of uploads")
struct UploadFileTests {
  @Test("a launch deletes the files of earlier ones and keeps its own, and identifies its tasks by their descriptions")
  func leftOvers() throws {
    let parent = try TemporaryFolder()
    let folder = UploadFiles.folder(in: parent.url, session: "com.example/../app.uploads")
    #expect(folder.deletingLastPathComponent().path == parent.url.appendingPathComponent("godwit-uploads").path)
    let (earlier, now) = (UploadFiles(folder: folder, launch: "A"), UploadFiles(folder: folder, launch: "B"))
    try now.removeLeftOvers()
    let (old, new) = (try earlier.store([1, 2]), try now.store([3]))
    #expect(try Data(contentsOf: old) == Data([1, 2]))
    #expect(now.isOurs(new.lastPathComponent) && !now.isOurs(old.lastPathComponent) && !now.isOurs(nil))
    try now.removeLeftOvers()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [new.lastPathComponent])
  }
}
