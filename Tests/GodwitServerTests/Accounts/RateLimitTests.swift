import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitAccess
@testable import GodwitHTTP
@testable import GodwitServer
@testable import GodwitStore

@Suite("Rate limits")
struct RateLimitTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_000)

  /// The default limits, with another value for one of them.
  private static func limits(_ which: WritableKeyPath<RateLimits, RateLimit>, _ perMinute: Int) -> RateLimits {
    var limits = RateLimits()
    limits[keyPath: which].perMinute = perMinute
    return limits
  }

  @Test("a bucket allows the requests of a minute at once, then refills evenly")
  func bucket() {
    let limiter = RateLimiter()
    func handle(_ second: Double, _ subject: RateLimiter.Subject = .device(1)) -> RateLimiter.Decision? {
      limiter.take(subject, RateLimit(perMinute: 6), policy: "p", at: Self.start.addingTimeInterval(second))
    }
    for left in stride(from: 5, through: 0, by: -1) {
      #expect(handle(0) == RateLimiter.Decision(policy: "p", quota: 6, remaining: left, reset: (6 - left) * 10, wait: nil))
    }
    #expect(handle(0)?.wait == 10)
    #expect(handle(4)?.wait == 6)
    #expect(handle(0, .device(2))?.wait == nil)
    #expect(handle(10)?.wait == nil)
    #expect(handle(10)?.wait == 10)
    // A clock that was set back does not refill the bucket.
    #expect(handle(-1000)?.wait == 10)
    #expect(handle(1e6)?.remaining == 5)
  }

  @Test("reading the time to wait does not count as a request")
  func wait() {
    let (limiter, limit) = (RateLimiter(), RateLimit(perMinute: 6))
    func wait(_ second: Double, _ limit: RateLimit = RateLimit(perMinute: 6)) -> Int? {
      limiter.wait(.device(1), limit, at: Self.start.addingTimeInterval(second))
    }
    #expect(wait(0) == nil)
    for _ in 0..<6 {
      #expect(wait(0) == nil)
      _ = limiter.take(.device(1), limit, policy: "p", at: Self.start)
    }
    #expect(wait(0) == 10 && wait(4) == 6 && wait(-1000) == 10)
    #expect(wait(10) == nil && wait(0, RateLimit(perMinute: 0)) == nil)
  }

  @Test("0 means no limit, and requests are not counted")
  func none() {
    let limiter = RateLimiter()
    #expect(limiter.take(.administrator, RateLimit(perMinute: 0), policy: "p", at: Self.start) == nil)
  }

  @Test("many clients with a smaller limit do not refill the bucket of a client with a larger one")
  func differentLimits() {
    let limiter = RateLimiter()
    func send(_ subject: RateLimiter.Subject, _ perMinute: Int, _ second: Double) -> RateLimiter.Decision? {
      limiter.take(subject, RateLimit(perMinute: perMinute), policy: "p", at: Self.start.addingTimeInterval(second))
    }
    for _ in 0..<500 { _ = send(.user(1), 600, 0) }
    // The first 300,000 nearly fill the limiter. For the others it removes full buckets.
    for number in 0..<400_000 { _ = send(.device(Int64(number)), 60, number < 300_000 ? 0 : 2) }
    #expect(send(.user(1), 600, 2)?.remaining == 119)
  }

  @Test("the memory for many clients with one request each is bounded, at any rate of requests", arguments: [0, 40] as [Double])
  func manySubjects(seconds: Double) {
    let limiter = RateLimiter()
    // A limiter without a maximum would have a bucket for each client.
    for number in 0..<400_000 {
      let time = Self.start.addingTimeInterval(seconds * Double(number) / 400_000)
      _ = limiter.take(.device(Int64(number)), RateLimit(perMinute: 60), policy: "p", at: time)
    }
    #expect((1...320_000).contains(limiter.bucketCount))
  }

  @Test("responses have the RateLimit headers; a request over the limit gets Retry-After and has no effect")
  func headers() async throws {
    try await AccountServer.with(limits: Self.limits(\.requests, 2)) { server in
      let anna = try await server.session(of: try await server.user("anna"))
      let there = ["X-Forwarded-For": "198.51.100.1"]
      let first = server.send("GET", "/api/v1/devices", as: anna, headers: there)
      #expect(first.headers["ratelimit-policy"] == #""requests";q=2;w=60"#)
      #expect(first.headers["ratelimit"] == #""requests";r=1;t=30"#)
      _ = server.send("GET", "/api/v1/devices", as: anna, headers: there)
      let over = server.send("POST", "/api/v1/devices", as: anna, body: #"{"name":"phone"}"#, headers: there)
      #expect(over.status == 429 && over.headers["content-type"] == "application/problem+json")
      #expect(try #require(over.headers["retry-after"].flatMap { Int($0) }) >= 1)
      #expect(over.headers["ratelimit"]?.hasPrefix(#""requests";r=0;t="#) == true)
      #expect(try server.server.store.device(named: "phone") == nil)
      // Another user has a separate bucket, and so does this machine.
      let ben = try await server.session(of: try await server.user("ben"))
      #expect(server.send("GET", "/api/v1/devices", as: ben, headers: there).status == 200)
      #expect(server.send("GET", "/api/v1/devices", as: anna).status == 200)
    }
  }

  @Test("an upload over the limit is rejected temporarily, and stored when it is repeated")
  func uploads() async throws {
    try await AccountServer.with(limits: Self.limits(\.uploads, 1)) { server in
      let phone = try await server.device("phone", of: nil)
      func send(_ number: Int) -> Response {
        server.send(
          "POST", "/api/overland", as: phone.caller,
          body:
            #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":\#(1_795_000_000 + number)}}]}"#,
          headers: ["X-Forwarded-For": "198.51.100.1"])
      }
      var putOff: [Int] = []
      for number in 0..<20 where send(number).status == 429 { putOff.append(number) }
      #expect(!putOff.isEmpty)
      // The device sends the rejected records again. Clients on this machine have no limit.
      for number in putOff {
        try server.upload(phone.caller, [(46, 14)], from: Date(timeIntervalSince1970: Double(1_795_000_000 + number)))
      }
      #expect(try server.server.store.points(PointQuery(limit: 1000)).count == 20)
    }
  }

  @Test("failed authentication counts against the anonymous limit, which does not affect devices and users")
  func anonymous() async throws {
    try await AccountServer.with(limits: Self.limits(\.anonymous, 1)) { server in
      let there = ["X-Forwarded-For": "203.0.113.9"]
      let statuses = (0..<5).map {
        server.send("GET", "/api/v1/devices", as: .bearing("guess \($0)"), headers: there).status
      }
      #expect(statuses.first == 401 && statuses.contains(429))
      let anna = try await server.session(of: try await server.user("anna"))
      #expect(server.send("GET", "/api/v1/devices", as: anna, headers: there).status == 200)
      // Only the last address of the list is used: the client can forge the others.
      let forged = ["X-Forwarded-For": "192.0.2.1, 203.0.113.9"]
      // Several requests, because on a slow machine the bucket may have been refilled.
      #expect((0..<3).map { _ in server.send("GET", "/api/v1/devices", headers: forged).status }.contains(429))
    }
  }
}
