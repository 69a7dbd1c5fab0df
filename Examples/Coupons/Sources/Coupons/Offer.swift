import Foundation
import Godwit

/// A coupon of a shop, as the server stores it in the region of the shop: `"extras": {"offer": {"text": "…", "code": "…"}}`.
public struct Offer: Sendable, Hashable, Codable {
  /// The region of the shop.
  public var region: Region.ID
  /// The name of the shop.
  public var shop: String
  public var text: String
  /// The code that the shop scans.
  public var code: String

  /// Reads the offer of a region. Returns `nil` if it has none.
  public init?(of region: Region) {
    guard let extras = region.extras, let members = try? JSONDecoder().decode(Extras.self, from: Data(extras.utf8)) else {
      return nil
    }
    self.region = region.id
    shop = region.name
    text = members.offer.text
    code = members.offer.code
  }

  private struct Extras: Decodable {
    struct Members: Decodable { var text, code: String }
    var offer: Members
  }
}

/// Decides which offers are shown: each shop at most once a day, and at most three offers a day.
public struct OfferHistory: Sendable, Hashable, Codable {
  /// Seconds.
  public static let period = 86_400.0
  public static let maximumPerPeriod = 3

  private var shown: [Region.ID: Date] = [:]

  public init() {}

  /// Selects the offers of shops that the device has just entered, and records them as shown.
  /// - Parameters:
  ///   - entered: the regions of the shops.
  ///   - now: the time of day.
  /// - Returns: the offers to show, in the order of the names of their shops.
  public mutating func offers(entering entered: Set<Region>, at now: Date) -> [Offer] {
    // A clock that was set back leaves times in the future; they count as now.
    shown = shown.mapValues { min($0, now) }.filter { now.timeIntervalSince($0.value) < Self.period }
    let fresh = entered.compactMap(Offer.init).filter { shown[$0.region] == nil }.sorted {
      ($0.shop, $0.region) < ($1.shop, $1.region)
    }
    let offers = Array(fresh.prefix(max(0, Self.maximumPerPeriod - shown.count)))
    for offer in offers { shown[offer.region] = now }
    return offers
  }
}
