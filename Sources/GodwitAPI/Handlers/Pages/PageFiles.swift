/// Where the files of the pages come from.
package struct PageFiles: Sendable {
  /// Returns a file with its content type; `nil` if there is none at a path.
  let file: @Sendable (_ path: String) -> (contentType: String, bytes: [UInt8])?

  package init(_ file: @escaping @Sendable (_ path: String) -> (contentType: String, bytes: [UInt8])?) { self.file = file }
}
