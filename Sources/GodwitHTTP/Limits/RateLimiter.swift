package import Foundation
internal import Synchronization

/// How many requests a client may make, on the average, and at once.
public struct RateLimit: Sendable, Hashable {
  /// Requests in a minute; all of them may come at once. 0: as many as they like.
  public var perMinute: Int

  public init(perMinute: Int) { self.perMinute = perMinute }
}

/// Token buckets in memory, one for each client: a bucket holds a minute's requests and fills evenly.
package final class RateLimiter: Sendable {
  /// The client that is counted.
  package enum Subject: Hashable, Sendable {
    case device(Int64)
    case user(Int64)
    case token(Int64)
    case administrator
    /// An anonymous client.
    case network(ClientNetwork)
    /// Wrong one-time codes of a client.
    case login(ClientNetwork)
  }

  /// What a request is reported.
  package struct Decision: Sendable, Hashable {
    /// Name of the limit.
    package var policy: String
    package var quota: Int
    /// Requests that may follow at once.
    package var remaining: Int
    /// Seconds until all of them may.
    package var reset: Int
    /// Seconds to wait, where the request was one too many.
    package var wait: Int?

    /// As the draft has them that is to become the standard (draft-ietf-httpapi-ratelimit-headers-11).
    package var headers: [(name: String, value: String)] {
      [
        ("RateLimit-Policy", "\"\(policy)\";q=\(quota);w=60"), ("RateLimit", "\"\(policy)\";r=\(remaining);t=\(reset)"),
      ]
    }
  }

  package init() {}

  private struct Bucket {
    var level: Double
    var time: Double
  }

  /// One of several, so that threads seldom wait for one another.
  private final class Shard: Sendable {
    let buckets = Mutex<[Subject: Bucket]>([:])
  }

  private let shards: [Shard] = (0..<16).map { _ in Shard() }
  /// Buckets of a shard; the fullest are removed when there are more: their subjects have sent no request for some time.
  private static let maximumBuckets = 20_000

  /// Takes one request out of a bucket.
  /// - Parameters:
  ///   - subject: the subject of the bucket.
  ///   - limit: how much it holds.
  ///   - policy: its name, for the headers.
  ///   - now: the time.
  /// - Returns: `nil` where nothing is counted.
  package func take(_ subject: Subject, _ limit: RateLimit, policy: String, at now: Date) -> Decision? {
    guard limit.perMinute > 0 else { return nil }
    let quota = Double(limit.perMinute)
    let perSecond = quota / 60
    let time = now.timeIntervalSince1970
    let shard = shards[Int(UInt(bitPattern: subject.hashValue) % UInt(shards.count))]
    let (level, isTaken) = shard.buckets.withLock { buckets in
      if buckets.count >= Self.maximumBuckets, buckets[subject] == nil {
        Self.discardFullBuckets(&buckets, quota, perSecond, time)
      }
      var bucket = buckets[subject] ?? Bucket(level: quota, time: time)
      // A clock that was set back fills nothing and takes nothing away.
      bucket.level = min(quota, bucket.level + max(0, time - bucket.time) * perSecond)
      bucket.time = time
      let isTaken = bucket.level >= 1
      if isTaken { bucket.level -= 1 }
      buckets[subject] = bucket
      return (bucket.level, isTaken)
    }
    return Decision(
      policy: policy, quota: limit.perMinute, remaining: Int(level), reset: Int(((quota - level) / perSecond).rounded(.up)),
      wait: isTaken ? nil : max(1, Int(((1 - level) / perSecond).rounded(.up))))
  }

  private static func discardFullBuckets(
    _ buckets: inout [Subject: Bucket], _ quota: Double, _ perSecond: Double, _ time: Double
  ) {
    buckets = buckets.filter { $0.value.level + (time - $0.value.time) * perSecond < quota }
    // All of them are busy: so many at once are an attack, and every count restarts.
    if buckets.count >= maximumBuckets { buckets.removeAll(keepingCapacity: true) }
  }
}
