public import Foundation

/// The style of a formatted address.
public enum CNPostalAddressFormatterStyle: Int, Sendable {
  case mailingAddress = 0
}

/// Formats postal addresses in lines: street, postal code and city, state, country. Apple's formatter uses the format of the country.
open class CNPostalAddressFormatter: Formatter {
  open var style = CNPostalAddressFormatterStyle.mailingAddress

  open class func string(from postalAddress: CNPostalAddress, style: CNPostalAddressFormatterStyle) -> String {
    let town = [postalAddress.postalCode, postalAddress.city].filter { !$0.isEmpty }.joined(separator: " ")
    return [postalAddress.street, town, postalAddress.state, postalAddress.country].filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  open func string(from postalAddress: CNPostalAddress) -> String { Self.string(from: postalAddress, style: style) }

  open override func string(for object: Any?) -> String? { (object as? CNPostalAddress).map { string(from: $0) } }
}
