package import Foundation
internal import Synchronization

/// The maximum rate of a client's requests.
public struct RateLimit: Sendable, Hashable {
  /// Maximum requests per minute; all of them may arrive at once. 0: no limit.
  public var perMinute: Int

  public init(perMinute: Int) { self.perMinute = perMinute }
}

/// A rate limiter with a token bucket in memory for each client. A bucket holds the requests of a minute and is refilled
/// continuously.
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

  /// The result of a check.
  package struct Decision: Sendable, Hashable {
    /// Name of the limit.
    package var policy: String
    package var quota: Int
    /// Requests that are permitted immediately.
    package var remaining: Int
    /// Seconds until the bucket is full.
    package var reset: Int
    /// Seconds to wait if the request was rejected; `nil`: it was permitted.
    package var wait: Int?

    /// The response headers according to draft-ietf-httpapi-ratelimit-headers-11.
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
    /// The capacity, which subjects of different kinds have in one shard.
    var quota: Double

    /// Refills the bucket. If the clock was set back, the level does not change.
    mutating func refill(to now: Double) {
      level = min(quota, level + max(0, now - time) * quota / 60)
      time = now
    }

    /// Seconds until it has a request again; `nil`: it has one.
    var wait: Int? { level >= 1 ? nil : max(1, Int(((1 - level) / (quota / 60)).rounded(.up))) }
  }

  /// A part of the buckets. There are several, so that threads seldom contend for a lock.
  private final class Shard: Sendable {
    let buckets = Mutex<[Subject: Bucket]>([:])
  }

  private let shards: [Shard] = (0..<16).map { _ in Shard() }

  private func shard(of subject: Subject) -> Shard {
    shards[Int(UInt(bitPattern: subject.hashValue) % UInt(shards.count))]
  }

  /// Maximum buckets of a shard. At the maximum, full buckets are removed, because their subjects have sent no request for
  /// some time.
  private static let maximumBuckets = 20_000

  /// The number of buckets in memory.
  package var bucketCount: Int { shards.reduce(0) { $0 + $1.buckets.withLock { $0.count } } }

  /// Takes a token from the bucket of a subject.
  /// - Parameters:
  ///   - subject: the subject of the bucket.
  ///   - limit: the capacity of the bucket.
  ///   - policy: the name of the limit, for the headers.
  ///   - now: the time.
  /// - Returns: `nil` if there is no limit.
  package func take(_ subject: Subject, _ limit: RateLimit, policy: String, at now: Date) -> Decision? {
    guard limit.perMinute > 0 else { return nil }
    let quota = Double(limit.perMinute)
    let time = now.timeIntervalSince1970
    let (level, wait) = shard(of: subject).buckets.withLock { buckets in
      if buckets.count >= Self.maximumBuckets, buckets[subject] == nil {
        Self.discardFullBuckets(&buckets, time)
      }
      var bucket = buckets[subject] ?? Bucket(level: quota, time: time, quota: quota)
      bucket.quota = quota
      bucket.refill(to: time)
      let wait = bucket.wait
      if wait == nil { bucket.level -= 1 }
      buckets[subject] = bucket
      return (bucket.level, wait)
    }
    return Decision(
      policy: policy, quota: limit.perMinute, remaining: Int(level),
      reset: Int(((quota - level) / (quota / 60)).rounded(.up)), wait: wait)
  }

  /// Returns the seconds until a bucket has a request again; `nil` if it has one. The bucket does not change.
  package func wait(_ subject: Subject, _ limit: RateLimit, at now: Date) -> Int? {
    guard limit.perMinute > 0 else { return nil }
    guard var bucket = shard(of: subject).buckets.withLock({ $0[subject] }) else { return nil }
    bucket.quota = Double(limit.perMinute)
    bucket.refill(to: now.timeIntervalSince1970)
    return bucket.wait
  }

  private static func discardFullBuckets(_ buckets: inout [Subject: Bucket], _ time: Double) {
    buckets = buckets.filter { _, bucket in
      var bucket = bucket
      bucket.refill(to: time)
      return bucket.level < bucket.quota
    }
    // All buckets are in use. So many active clients are an attack; all counts restart, so that memory stays bounded.
    if buckets.count >= maximumBuckets { buckets.removeAll(keepingCapacity: true) }
  }
}
