public import Foundation

// Archiving of the classes that correspond to Apple's. The keys and formats differ from Apple's, so archives are not compatible.

extension NSCoder {
  /// Writes the values of an object as one property list.
  /// - Parameters:
  ///   - values: the values.
  ///   - key: the key of the values. A subclass uses another key than its superclass.
  package func encode(values: some Encodable, forKey key: String = "values") {
    guard let data = try? PropertyListEncoder().encode(values) else { return }
    encode(data as NSData, forKey: key)
  }

  /// Reads values that `encode(values:forKey:)` wrote; `nil`: there are none, or they are not readable.
  /// - Parameters:
  ///   - type: the type of the values.
  ///   - key: the key of the values.
  package func decode<Values: Decodable>(values type: Values.Type, forKey key: String = "values") -> Values? {
    guard containsValue(forKey: key), let data = decodeObject(of: NSData.self, forKey: key) else { return nil }
    return try? PropertyListDecoder().decode(type, from: Data(referencing: data))
  }
}

/// A coordinate in an archive. `CLLocationCoordinate2D` is not `Codable`, as on Apple's systems.
struct ArchivedCoordinate: Codable {
  var latitude: Double
  var longitude: Double

  init(_ coordinate: CLLocationCoordinate2D) { (latitude, longitude) = (coordinate.latitude, coordinate.longitude) }
  var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

/// Allows objects of these modules as arguments of `String(format: "%@", …)` and `NSLog`: `%@` is replaced by the description.
/// The C functions on Linux accept no other object than a string, so the description is passed as a string.
extension _CVarArgObject where Self: NSObject {
  public var _cVarArgObject: any CVarArg { NSString(string: description) }
  public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}
