package import Foundation
package import GodwitHTTPClient
package import GodwitServices

/// Requests photos from the Immich servers of users. Browsers talk to this server only.
package final class PhotoLibrary: Sendable {
  private let everywhere: HTTPClient
  private let publicAddresses: HTTPClient
  private let clock: ServerClock
  private let images: ImageCache
  private let gate = RequestGate(concurrent: 6, waiting: 300)

  /// Photos that one request reads at most.
  package static let maximumPhotos = 5000
  /// Bytes of pictures in memory.
  package static let cacheSize = 32 << 20

  /// - Parameters:
  ///   - everywhere: the network.
  ///   - publicAddresses: the network without this machine and private networks.
  ///   - cacheSize: bytes of pictures in memory.
  package init(
    everywhere: HTTPClient = .live(), publicAddresses: HTTPClient = .live(reaching: .publicAddresses), clock: ServerClock,
    cacheSize: Int = PhotoLibrary.cacheSize
  ) {
    self.everywhere = everywhere
    self.publicAddresses = publicAddresses
    self.clock = clock
    images = ImageCache(maximumBytes: cacheSize)
  }

  /// Checks whether an Immich server answers at an address, and accepts a key.
  /// - Throws: ``PhotoServerError``.
  package func check(_ server: ReachableServer) async throws(PhotoServerError) {
    let client = client(server)
    try await gate.run(server.server.account) { () async throws(PhotoServerError) in try await client.check() }
  }

  /// The photos of a period, by time.
  /// - Throws: ``PhotoServerError``.
  package func photos(
    _ times: Range<Date>, on server: ReachableServer, maximum: Int = PhotoLibrary.maximumPhotos
  ) async throws(PhotoServerError) -> PhotoPage {
    let client = client(server)
    return try await gate.run(server.server.account) { () async throws(PhotoServerError) in
      try await client.photos(times, maximum: maximum)
    }
  }

  /// A picture of a photo, from memory if it is there.
  /// - Throws: ``PhotoServerError``.
  package func image(
    _ photo: PhotoID, _ size: PhotoSize, on server: ReachableServer
  ) async throws(PhotoServerError) -> PhotoImage {
    let key = ImageCache.Key(server.server, photo, size)
    if let known = images.image(key, at: clock.now) { return known }
    let client = client(server)
    return try await gate.run(server.server.account) { [images, clock] () async throws(PhotoServerError) in
      // Another request may have fetched it meanwhile.
      if let known = images.image(key, at: clock.now) { return known }
      let image = try await client.image(photo, size)
      images.store(image, key, at: clock.now)
      return image
    }
  }

  /// Forgets the pictures of a user whose server was changed or removed.
  package func discard(_ account: Int64?) { images.removeAll(of: account) }

  private func client(_ server: ReachableServer) -> ImmichClient {
    let network =
      switch server.reach {
      case .everywhere: everywhere
      case .publicAddresses: publicAddresses
      }
    return ImmichClient(address: server.server.address, key: server.server.key, network: network)
  }
}
