import Foundation
import Testing

@testable import GodwitPhotos

@Suite("Addresses, keys and cached images of photo servers")
struct PhotoServerTests {
  @Test(
    "an address is normalized",
    arguments: [
      ("https://photos.example.org", "https://photos.example.org", "https://photos.example.org:443"),
      (" HTTPS://Photos.Example.ORG/ \n", "https://photos.example.org", "https://photos.example.org:443"),
      ("http://192.168.1.5:2283/api/", "http://192.168.1.5:2283", "http://192.168.1.5:2283"),
      ("https://example.org/immich/api", "https://example.org/immich", "https://example.org:443"),
      ("http://[::1]:2283", "http://[::1]:2283", "http://[::1]:2283"),
    ])
  func addresses(_ entered: String, _ text: String, _ origin: String) throws {
    let address = try PhotoServerAddress(entered)
    #expect(address.text == text && address.origin == origin)
    #expect(try PhotoServerAddress(address.text) == address)
    #expect(address.api("server/ping")?.absoluteString == text + "/api/server/ping")
  }

  @Test(
    "any other text is not an address",
    arguments: [
      "", "photos.example.org", "ftp://example.org", "file:///etc/passwd", "https://", "https://anna:secret@example.org",
      "https://example.org/?a=b", "https://example.org/#x", "javascript:alert(1)",
      "https://example.org/" + String(repeating: "a", count: 2048), "https://exa mple.org",
    ])
  func noAddresses(_ entered: String) {
    #expect(throws: PhotoServerFault.self) { try PhotoServerAddress(entered) }
  }

  @Test("a key is a valid header value, and its description hides it")
  func keys() throws {
    #expect("\(try PhotoServerKey(" abcDEF123 "))" == "key")
    for text in ["", "a b", "a\r\nHost: x", "ü", String(repeating: "a", count: 513)] {
      #expect(throws: PhotoServerFault.self) { try PhotoServerKey(text) }
    }
  }

  @Test(
    "a photo id must be a UUID", arguments: ["", "..", "a/b", "00000000-0000-4000-8000-00000000000", "%2e"])
  func ids(_ text: String) {
    #expect(PhotoID(text) == nil)
    #expect(PhotoID("00000000-0000-4000-8000-00000000000A")?.text == "00000000-0000-4000-8000-00000000000a")
  }

  @Test("the type of an image is detected from its first bytes")
  func types() {
    #expect(ImageType(of: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(ImageType(of: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]) == .png)
    #expect(ImageType(of: Array("RIFF1234WEBPVP8 ".utf8)) == .webp)
    #expect(ImageType(of: Array("GIF89a".utf8)) == .gif)
    #expect(ImageType(of: [0, 0, 0, 0x20] + Array("ftypavif".utf8)) == .avif)
    for text in [
      "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<!doctype html>", "RIFF1234WAVE", "%PDF-1.7", "\u{FEFF}<svg/>",
    ] {
      #expect(ImageType(of: Array(text.utf8)) == nil, "\(text)")
    }
  }

  private static let now = Date(timeIntervalSince1970: 1_795_000_000)

  private static func server(_ account: Int64?, stored: Date = now) throws -> PhotoServer {
    PhotoServer(
      account: account, address: try PhotoServerAddress("https://example.org"), key: try PhotoServerKey("key"), stored: stored)
  }

  private static func photo(_ number: Int) throws -> PhotoID {
    try #require(PhotoID("00000000-0000-4000-8000-" + String(100_000_000_000 + number)))
  }

  @Test("cached images have a total limit, LRU eviction and a lifetime of an hour")
  func cache() throws {
    let cache = ImageCache(maximumBytes: 1000)
    let server = try Self.server(1)
    let keys = try (0..<100).map { ImageCache.Key(server, try Self.photo($0), .thumbnail) }
    let picture = PhotoImage(type: .png, bytes: [UInt8](repeating: 1, count: 100))
    for number in 0..<10 { cache.store(picture, keys[number], at: .zero) }
    #expect(cache.bytes == 1000)
    #expect(cache.image(keys[0], at: .zero) != nil)
    cache.store(picture, keys[10], at: .zero)
    #expect(cache.bytes <= 1000 && cache.image(keys[0], at: .zero) != nil && cache.image(keys[1], at: .zero) == nil)
    // Storing the same image again uses no more memory.
    let bytes = cache.bytes
    cache.store(picture, keys[10], at: .zero)
    #expect(cache.bytes == bytes)
    cache.store(PhotoImage(type: .png, bytes: [UInt8](repeating: 1, count: 251)), keys[99], at: .zero)
    #expect(cache.image(keys[99], at: .zero) == nil, "an image larger than a quarter of the cache is not stored")
    #expect(cache.image(keys[10], at: .seconds(3599)) != nil && cache.image(keys[10], at: .seconds(3600)) == nil)
  }

  @Test("a cached image is not shown to another user or for a former key")
  func cacheKeys() throws {
    let cache = ImageCache(maximumBytes: 1000)
    let photo = try Self.photo(1)
    let picture = PhotoImage(type: .png, bytes: [1])
    cache.store(picture, ImageCache.Key(try Self.server(1), photo, .thumbnail), at: .zero)
    for other in [try Self.server(2), try Self.server(nil), try Self.server(1, stored: Self.now + 1)] {
      #expect(cache.image(ImageCache.Key(other, photo, .thumbnail), at: .zero) == nil)
    }
    #expect(cache.image(ImageCache.Key(try Self.server(1), photo, .preview), at: .zero) == nil)
    cache.removeAll(of: 2)
    #expect(cache.bytes == 1)
    cache.removeAll(of: 1)
    #expect(cache.bytes == 0)
  }
}
