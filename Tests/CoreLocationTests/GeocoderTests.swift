import CoreLocation
import Foundation
import Synchronization
import Testing

@Suite("Geocoder")
@MainActor
struct GeocoderTests {
  /// A server that records its requests and returns the same response to each.
  private final class Server: Sendable {
    private let asked = Mutex<[URL]>([])
    private let response: String
    init(_ response: String) { self.response = response }

    var requests: [[String: String]] {
      asked.withLock { $0 }.map { url in
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }.merging(["path": url.path]) { $1 }
      }
    }

    var addresses: Nominatim {
      // Valid: a constant.
      Nominatim(baseURL: URL(string: "https://places.example/nominatim")!) { url in
        self.asked.withLock { $0.append(url) }
        return Data(self.response.utf8)
      }
    }
  }

  private static let house = """
    {"lat":"45.1132","lon":"13.9402","name":"","display_name":"4, Istarska ulica, Tinjan, Hrvatska",
     "address":{"house_number":"4","road":"Istarska ulica","village":"Tinjan","county":"Općina Tinjan",
     "state":"Istarska županija","postcode":"52444","country":"Hrvatska","country_code":"hr"},
     "boundingbox":["45.1131","45.1133","13.9401","13.9403"]}
    """

  private func daemon(_ addresses: Nominatim?) -> LocationDaemon {
    let daemon = LocationDaemon(source: Script(north: []))
    daemon.addresses = addresses
    return daemon
  }

  /// Geocoding code as in tutorials.
  @MainActor
  private final class AddressModel {
    private(set) var address = ""
    private(set) var code: CLError.Code?
    private let geocoder = CLGeocoder()

    func check(_ location: CLLocation) async {
      do {
        let places = try await geocoder.reverseGeocodeLocation(location)
        address = [places.first?.name, places.first?.locality, places.first?.isoCountryCode]
          .compactMap { $0 }.joined(separator: ", ")
      } catch {
        code = (error as? CLError)?.code
      }
    }

    func find(_ text: String, done: @escaping @MainActor () -> Void) {
      geocoder.geocodeAddressString(text) { places, error in
        self.address = places?.first?.postalCode ?? ""
        self.code = (error as? CLError)?.code
        done()
      }
    }

    func cancel() { geocoder.cancelGeocode() }
    var isBusy: Bool { geocoder.isGeocoding }
  }

  @Test("the address of a place, with its parts", .timeLimit(.minutes(20)))
  func reverse() async throws {
    let server = Server(Self.house)
    try await daemon(server.addresses).serve {
      let model = AddressModel()
      await model.check(CLLocation(latitude: 45.1132, longitude: 13.9402))
      #expect(model.address == "Istarska ulica 4, Tinjan, HR" && !model.isBusy)
      let geocoder = CLGeocoder()
      let places = try await geocoder.reverseGeocodeLocation(
        CLLocation(latitude: 45.1132, longitude: 13.9402), preferredLocale: Locale(identifier: "de_AT"))
      let place = try #require(places.first)
      #expect(place.thoroughfare == "Istarska ulica" && place.subThoroughfare == "4" && place.postalCode == "52444")
      #expect(place.administrativeArea == "Istarska županija" && place.subAdministrativeArea == "Općina Tinjan")
      #expect(place.country == "Hrvatska" && place.subLocality == nil && place.location?.coordinate.latitude == 45.1132)
      let circle = try #require(place.region as? CLCircularRegion)
      #expect((10...20).contains(circle.radius) && CLPlacemark(placemark: place).name == place.name)
      #expect(server.requests.map { $0["path"] } == Array(repeating: "/nominatim/reverse", count: 2))
      #expect(server.requests.map { $0["accept-language"] } == [nil, "de-AT"])
      #expect(server.requests.last?["lat"] == "45.1132" && server.requests.last?["format"] == "jsonv2")
    }
  }

  @Test("the place of an address is passed to a handler on the main queue; a plus sign is encoded", .timeLimit(.minutes(20)))
  func forward() async throws {
    let server = Server("[\(Self.house)]")
    try await daemon(server.addresses).serve {
      let model = AddressModel()
      await withCheckedContinuation { continuation in
        model.find("Istarska 4 + garden, Tinjan") { continuation.resume() }
      }
      #expect(model.address == "52444" && model.code == nil)
      #expect(server.requests.first?["q"] == "Istarska 4 + garden, Tinjan")
      #expect(server.requests.first?["path"] == "/nominatim/search" && server.requests.first?["viewbox"] == nil)
      let region = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 60, longitude: 10), radius: 111_195, identifier: "north")
      _ = try await CLGeocoder().geocodeAddressString("Tinjan", in: region)
      let box = server.requests.last?["viewbox"]?.split(separator: ",").compactMap { Double($0) } ?? []
      try #require(box.count == 4)
      #expect(zip(box, [8, 61, 12, 59]).allSatisfy { abs($0 - $1) < 0.001 }, "\(box)")
    }
  }

  @Test(
    "a response without a place is an error with a specific code", .timeLimit(.minutes(20)),
    arguments: [
      (#"{"error":"Unable to geocode"}"#, CLError.Code.geocodeFoundNoResult), ("<html>", .network), ("{}", .network),
      (#"{"lat":"91","lon":"0"}"#, .network), ("", .network),
    ])
  func rejections(_ response: String, _ code: CLError.Code) async {
    await daemon(Server(response).addresses).serve {
      let model = AddressModel()
      await model.check(CLLocation(latitude: 45, longitude: 14))
      #expect(model.code == code)
    }
  }

  @Test("an address without a place, a server that does not answer, and a missing server are errors", .timeLimit(.minutes(20)))
  func noListener() async {
    struct Unplugged: Error {}
    var broken = Server("").addresses
    broken.fetch = { _ in throw Unplugged() }
    for (addresses, code) in [
      (Server("[]").addresses, CLError.Code.geocodeFoundNoResult), (broken, .network), (nil, .network),
    ] {
      await daemon(addresses).serve {
        _ = await #expect {
          try await CLGeocoder().geocodeAddressString("Atlantis")
        } throws: { ($0 as? CLError)?.code == code && !$0.localizedDescription.isEmpty }
      }
    }
  }

  @Test("a cancelled request ends with an error, and the geocoder accepts the next request", .timeLimit(.minutes(20)))
  func cancelled() async {
    var slow = Server("").addresses
    let (asked, ask) = AsyncStream<Void>.makeStream()
    slow.fetch = { _ in
      ask.yield()
      // Ends when the task is cancelled.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return Data()
    }
    await daemon(slow).serve {
      let model = AddressModel()
      await withCheckedContinuation { continuation in
        model.find("Tinjan") { continuation.resume() }
        Task {
          for await _ in asked { break }
          #expect(model.isBusy)
          model.cancel()
        }
      }
      #expect(model.code == .geocodeCanceled && !model.isBusy)
    }
  }
}
