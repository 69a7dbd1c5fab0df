public import Foundation

// Archives of the classes that mirror Apple's. What is written here is read here; the keys and forms are not Apple's.

extension NSCoder {
  /// Writes the values of an object as one property list.
  /// - Parameters:
  ///   - values: the values.
  ///   - key: their name; a subclass writes its own values under another name than its superclass.
  package func encode(values: some Encodable, forKey key: String = "values") {
    guard let data = try? PropertyListEncoder().encode(values) else { return }
    encode(data as NSData, forKey: key)
  }

  /// Reads what `encode(values:forKey:)` wrote; anything else gives `nil`.
  /// - Parameters:
  ///   - type: the type of the values.
  ///   - key: their name.
  package func decode<Values: Decodable>(values type: Values.Type, forKey key: String = "values") -> Values? {
    guard containsValue(forKey: key), let data = decodeObject(of: NSData.self, forKey: key) else { return nil }
    return try? PropertyListDecoder().decode(type, from: Data(referencing: data))
  }
}

/// A coordinate as archives have it: `CLLocationCoordinate2D` is not codable, as on Apple's systems.
struct ArchivedCoordinate: Codable {
  var latitude: Double
  var longitude: Double

  init(_ coordinate: CLLocationCoordinate2D) { (latitude, longitude) = (coordinate.latitude, coordinate.longitude) }
  var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

/// Lets `String(format: "%@", …)` and `NSLog` take the objects of these modules: `%@` is replaced by the description. The C
/// functions behind them know no other object than a string here, so the string is what they get.
extension _CVarArgObject where Self: NSObject {
  public var _cVarArgObject: any CVarArg { NSString(string: description) }
  public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}
