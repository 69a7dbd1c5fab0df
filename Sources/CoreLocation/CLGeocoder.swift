public import Contacts
public import Foundation
internal import Synchronization

/// Receives the result of a geocoder: placemarks, or an error.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Finds the address of a place, and the place of an address, with the server in the daemon's ``LocationDaemon/addresses``.
///
/// Handlers are called on the main queue.
///
/// `@unchecked Sendable`: the mutable state is in a mutex. A subclass is responsible for its own state.
open class CLGeocoder: NSObject, _CVarArgObject, @unchecked Sendable {
  private struct State {
    var requests: [Int: Task<[CLPlacemark], any Error>] = [:]
    var next = 1
  }

  private let state = Mutex(State())
  private let daemon: LocationDaemon

  public override init() {
    daemon = .current
    super.init()
  }

  /// Whether a request is pending.
  open var isGeocoding: Bool { state.withLock { !$0.requests.isEmpty } }

  /// Ends all pending requests with `CLError.geocodeCanceled`.
  open func cancelGeocode() {
    for request in state.withLock({ Array($0.requests.values) }) { request.cancel() }
  }

  // MARK: Addresses of places

  open func reverseGeocodeLocation(
    _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    reverseGeocodeLocation(location, preferredLocale: nil, completionHandler: completionHandler)
  }

  /// Finds the address of a place.
  /// - Parameters:
  ///   - location: the place.
  ///   - locale: the language of the address; `nil`: the language of the place.
  ///   - completionHandler: receives the address, or `CLError.geocodeFoundNoResult`, `.network` or `.geocodeCanceled`.
  open func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale?, completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    respond(completionHandler, request { try await $0.places(at: location.coordinate, locale: locale) })
  }

  /// Finds the address of a place.
  /// - Parameters:
  ///   - location: the place.
  ///   - locale: the language of the address; `nil`: the language of the place.
  /// - Returns: the address.
  /// - Throws: `CLError.geocodeFoundNoResult`, `.network` or `.geocodeCanceled`.
  open func reverseGeocodeLocation(
    _ location: CLLocation, preferredLocale locale: Locale? = nil
  ) async throws -> [CLPlacemark] {
    try await value(of: request { try await $0.places(at: location.coordinate, locale: locale) })
  }

  // MARK: Places of addresses

  open func geocodeAddressString(
    _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    geocodeAddressString(addressString, in: nil, preferredLocale: nil, completionHandler: completionHandler)
  }

  open func geocodeAddressString(
    _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    geocodeAddressString(addressString, in: region, preferredLocale: nil, completionHandler: completionHandler)
  }

  /// Finds the places of an address.
  /// - Parameters:
  ///   - addressString: the address in free form.
  ///   - region: a circle whose places are preferred.
  ///   - locale: the language of the result; `nil`: the language of the place.
  ///   - completionHandler: receives the places, or `CLError.geocodeFoundNoResult`, `.network` or `.geocodeCanceled`.
  open func geocodeAddressString(
    _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
    completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    let box = Self.box(region)
    respond(completionHandler, request { try await $0.places(named: addressString, locale: locale, box: box) })
  }

  /// Finds the places of an address.
  /// - Parameters:
  ///   - addressString: the address in free form.
  ///   - region: a circle whose places are preferred.
  ///   - locale: the language of the result; `nil`: the language of the place.
  /// - Returns: the places, best first.
  /// - Throws: `CLError.geocodeFoundNoResult`, `.network` or `.geocodeCanceled`.
  open func geocodeAddressString(
    _ addressString: String, in region: CLRegion? = nil, preferredLocale locale: Locale? = nil
  ) async throws -> [CLPlacemark] {
    let box = Self.box(region)
    return try await value(of: request { try await $0.places(named: addressString, locale: locale, box: box) })
  }

  // MARK: Places of postal addresses

  open func geocodePostalAddress(_ postalAddress: CNPostalAddress, completionHandler: @escaping CLGeocodeCompletionHandler) {
    geocodePostalAddress(postalAddress, preferredLocale: nil, completionHandler: completionHandler)
  }

  /// Finds the places of a postal address.
  /// - Parameters:
  ///   - postalAddress: the address; it is searched for as text.
  ///   - locale: the language of the result; `nil`: the language of the place.
  ///   - completionHandler: receives the places, or `CLError.geocodeFoundNoResult`, `.network` or `.geocodeCanceled`.
  open func geocodePostalAddress(
    _ postalAddress: CNPostalAddress, preferredLocale locale: Locale?, completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    geocodeAddressString(
      Self.line(postalAddress), in: nil, preferredLocale: locale, completionHandler: completionHandler)
  }

  /// Finds the places of a postal address.
  /// - Parameters:
  ///   - postalAddress: the address; it is searched for as text.
  ///   - locale: the language of the result; `nil`: the language of the place.
  /// - Returns: the places, best first.
  /// - Throws: `CLError.geocodeFoundNoResult`, `.network` or `.geocodeCanceled`.
  open func geocodePostalAddress(
    _ postalAddress: CNPostalAddress, preferredLocale locale: Locale? = nil
  ) async throws -> [CLPlacemark] {
    try await geocodeAddressString(Self.line(postalAddress), in: nil, preferredLocale: locale)
  }

  /// Finds the places of an address. Deprecated on Apple's systems since iOS 11.
  /// - Parameters:
  ///   - addressDictionary: the address under the keys of ``CLPlacemark/addressDictionary``.
  ///   - completionHandler: receives the places, or an error.
  open func geocodeAddressDictionary(
    _ addressDictionary: [AnyHashable: Any], completionHandler: @escaping CLGeocodeCompletionHandler
  ) {
    let parts = ["Street", "ZIP", "City", "State", "Country"].compactMap { addressDictionary[$0] as? String }
    geocodeAddressString(parts.joined(separator: ", "), completionHandler: completionHandler)
  }

  /// Returns an address in one line.
  private static func line(_ address: CNPostalAddress) -> String {
    CNPostalAddressFormatter.string(from: address, style: .mailingAddress).replacingOccurrences(of: "\n", with: ", ")
  }

  /// Returns the bounding box of a circle as `west,north,east,south`; `nil` for another region.
  private static func box(_ region: CLRegion?) -> String? {
    guard let circle = region as? CLCircularRegion else { return nil }
    // A degree of latitude has 111,195 m. A degree of longitude is shorter by the cosine, which is limited near the poles.
    let north = circle.radius / 111_195
    let east = north / max(0.01, cos(circle.center.latitude * .pi / 180))
    let (latitude, longitude) = (circle.center.latitude, circle.center.longitude)
    return "\(longitude - east),\(latitude + north),\(longitude + east),\(latitude - north)"
  }

  // MARK: Requests

  private typealias Request = (number: Int, task: Task<[CLPlacemark], any Error>)

  private func request(_ ask: @escaping @Sendable (Nominatim) async throws -> [CLPlacemark]) -> Request {
    let addresses = daemon.addresses
    return state.withLock { state in
      let number = state.next
      state.next += 1
      let task = Task {
        defer { removeRequest(number) }
        guard let addresses else {
          throw CLError(
            .network, reason: "No geocoder is configured; set LocationDaemon.current.addresses to a Nominatim server.")
        }
        do {
          let places = try await ask(addresses)
          if !Task.isCancelled { return places }
        } catch  where !Task.isCancelled {
          throw error
        } catch {}
        throw CLError(.geocodeCanceled, reason: "The request was cancelled.")
      }
      state.requests[number] = task
      return (number, task)
    }
  }

  private func removeRequest(_ number: Int) { _ = state.withLock { $0.requests.removeValue(forKey: number) } }

  private func value(of request: Request) async throws -> [CLPlacemark] {
    try await withTaskCancellationHandler {
      try await request.task.value
    } onCancel: {
      request.task.cancel()
    }
  }

  /// A completion handler. `@unchecked Sendable`: it is called once, on the main queue, as on Apple's systems.
  private struct Handler: @unchecked Sendable { var call: CLGeocodeCompletionHandler }

  private func respond(_ completionHandler: @escaping CLGeocodeCompletionHandler, _ request: Request) {
    let handler = Handler(call: completionHandler)
    Task {
      let result = await request.task.result
      DispatchQueue.main.async {
        switch result {
        case .success(let places): handler.call(places, nil)
        case .failure(let error): handler.call(nil, error)
        }
      }
    }
  }
}
