package import CExpat
package import Foundation

/// Encodings by their names in XML declarations.
package enum XMLEncoding {
  /// Returns the single-byte encoding with a name, for encodings that expat does not support.
  package static func named(_ name: String) -> String.Encoding? {
    switch name.lowercased() {
    case "iso-8859-2", "latin2": .isoLatin2
    case "windows-1250", "cp1250": .windowsCP1250
    case "windows-1251", "cp1251": .windowsCP1251
    case "windows-1252", "cp1252": .windowsCP1252
    case "windows-1253", "cp1253": .windowsCP1253
    case "windows-1254", "cp1254": .windowsCP1254
    case "macintosh", "macroman": .macOSRoman
    // Positions and times are ASCII, which is the same in all encodings of this family.
    case let other where other.hasPrefix("iso-8859-") || other.hasPrefix("windows-") || other.hasPrefix("koi8"):
      .isoLatin1
    default: nil
    }
  }

  /// Maps the bytes of single-byte encodings that expat does not support to characters, with Foundation.
  package static let unknown: XML_UnknownEncodingHandler = { _, name, info in
    guard let name, let info else { return 0 }
    guard let encoding = named(String(cString: name)) else { return 0 }
    withUnsafeMutablePointer(to: &info.pointee.map) { map in
      map.withMemoryRebound(to: Int32.self, capacity: 256) { map in
        for byte in 0..<256 {
          let scalar = String(data: Data([UInt8(byte)]), encoding: encoding)?.unicodeScalars.first
          map[byte] = scalar.map { Int32($0.value) } ?? -1
        }
      }
    }
    info.pointee.data = nil
    info.pointee.convert = nil
    info.pointee.release = nil
    return 1
  }
}
