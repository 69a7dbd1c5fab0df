import Contacts
import CoreLocation
import Foundation
import Synchronization
import Testing

@Suite("Postal addresses")
struct PostalAddressTests {
  private static let house = """
    {"lat":"45.1132","lon":"13.9402","name":"","display_name":"4, Istarska ulica, Tinjan, Hrvatska",
     "address":{"house_number":"4","road":"Istarska ulica","village":"Tinjan","county":"Općina Tinjan",
     "state":"Istarska županija","postcode":"52444","country":"Hrvatska","country_code":"hr"}}
    """

  private static var address: CNMutablePostalAddress {
    let address = CNMutablePostalAddress()
    (address.street, address.city, address.postalCode) = ("Istarska ulica 4", "Tinjan", "52444")
    (address.state, address.country) = ("Istarska županija", "Hrvatska")
    return address
  }

  /// Runs `body` with a geocoder whose server always returns the same result, and returns the search texts of the requests.
  private func asked(_ body: @Sendable (CLGeocoder) async throws -> Void) async throws -> [String?] {
    let queries = Mutex<[String?]>([])
    let daemon = LocationDaemon(source: Script(north: []))
    daemon.addresses = Nominatim(baseURL: try #require(URL(string: "https://places.example"))) { url in
      let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
      queries.withLock { $0.append(items.first { $0.name == "q" }?.value) }
      return Data(url.path == "/reverse" ? Self.house.utf8 : "[\(Self.house)]".utf8)
    }
    try await daemon.serve { try await body(CLGeocoder()) }
    return queries.withLock { $0 }
  }

  @Test("a placemark has its address in parts, and as the dictionary of the Address Book")
  func placemark() async throws {
    _ = try await asked { geocoder in
      let place = try #require(try await geocoder.reverseGeocodeLocation(CLLocation()).first)
      let address = try #require(place.postalAddress)
      #expect(address.street == "Istarska ulica 4" && address.city == "Tinjan" && address.postalCode == "52444")
      #expect(address.isoCountryCode == "HR" && address.subAdministrativeArea == "Općina Tinjan" && address.subLocality.isEmpty)
      #expect(place.addressDictionary?["ZIP"] as? String == "52444" && place.addressDictionary?["SubLocality"] == nil)
      #expect(CLPlacemark(placemark: place).postalAddress == address)
      let data = try NSKeyedArchiver.archivedData(withRootObject: place, requiringSecureCoding: true)
      let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLPlacemark.self, from: data))
      #expect(back.postalAddress == address && back.location?.coordinate.latitude == 45.1132)
    }
    #expect(CLPlacemark().postalAddress == nil && CLPlacemark().addressDictionary == nil)
  }

  @Test("a postal address is searched for in one line")
  func geocode() async throws {
    let line = "Istarska ulica 4, 52444 Tinjan, Istarska županija, Hrvatska"
    let requests = try await asked { geocoder in
      let places = try await geocoder.geocodePostalAddress(Self.address)
      #expect(places.first?.locality == "Tinjan")
      for variant in 0..<3 {
        let count = await withCheckedContinuation { continuation in
          let handler: CLGeocodeCompletionHandler = { places, _ in continuation.resume(returning: places?.count) }
          switch variant {
          case 0: geocoder.geocodePostalAddress(Self.address, completionHandler: handler)
          case 1:
            geocoder.geocodePostalAddress(Self.address, preferredLocale: Locale(identifier: "hr"), completionHandler: handler)
          default: geocoder.geocodeAddressDictionary(["Street": "A 1", "City": "B"], completionHandler: handler)
          }
        }
        #expect(count == 1)
      }
    }
    #expect(requests == [line, line, line, "A 1, B"])
  }

  @Test("an address is written in lines, copied, changed and archived")
  func address() throws {
    let address = Self.address
    #expect(
      CNPostalAddressFormatter.string(from: address, style: .mailingAddress)
        == "Istarska ulica 4\n52444 Tinjan\nIstarska županija\nHrvatska")
    #expect(CNPostalAddressFormatter().string(for: CNPostalAddress())?.isEmpty == true)
    let copy = try #require(address.copy() as? CNPostalAddress)
    let other = try #require(copy.mutableCopy() as? CNMutablePostalAddress)
    other.city = "Pazin"
    #expect(copy == address && copy.hash == address.hash && other != address && copy.city == "Tinjan")
    let data = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CNPostalAddress.self, from: data) == copy)
  }
}
