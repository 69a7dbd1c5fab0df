internal import CMicrohttpd
package import Foundation

/// The validity period and the public key of the certificate of a PEM file, as read by GnuTLS.
package struct CertificateFile: Sendable, Hashable {
  package let notBefore: Date
  package let notAfter: Date
  /// The SHA-256 of the public key (SubjectPublicKeyInfo) in base64, as in `curl --pinnedpubkey`.
  package let keyPin: String

  /// Reads the first certificate of a file.
  /// - Throws: ``TLSError`` with the path and the reason, if the file cannot be read or its first certificate is invalid.
  package init(path: String) throws(TLSError) {
    guard let data = FileManager.default.contents(atPath: path) else { throw TLSError(description: "\(path) cannot be read") }
    try self.init(pem: data, path: path)
  }

  /// Reads the first certificate of a PEM text.
  /// - Parameters:
  ///   - pem: content of the file.
  ///   - path: path of the file, for the error.
  /// - Throws: ``TLSError`` with the path and the reason, if the first certificate is missing or invalid.
  package init(pem: Data, path: String) throws(TLSError) {
    guard let size = UInt32(exactly: pem.count) else { throw TLSError(description: "\(path) is larger than a certificate") }
    var certificate: gnutls_x509_crt_t?
    var code = gnutls_x509_crt_init(&certificate)
    defer { if let certificate { gnutls_x509_crt_deinit(certificate) } }
    if code == GNUTLS_E_SUCCESS {
      var bytes = [UInt8](pem)
      code = bytes.withUnsafeMutableBufferPointer { buffer in
        var text = gnutls_datum_t(data: buffer.baseAddress, size: size)
        return gnutls_x509_crt_import(certificate, &text, GNUTLS_X509_FMT_PEM)
      }
    }
    guard code == GNUTLS_E_SUCCESS, let certificate else {
      let reason = gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
      throw TLSError(description: "\(path): no certificate in PEM could be read: \(reason)")
    }
    let (start, end) = (gnutls_x509_crt_get_activation_time(certificate), gnutls_x509_crt_get_expiration_time(certificate))
    guard start != -1, end != -1 else { throw TLSError(description: "\(path): the certificate has no period of validity") }
    notBefore = Date(timeIntervalSince1970: Double(start))
    notAfter = Date(timeIntervalSince1970: Double(end))
    var hash = [UInt8](repeating: 0, count: 32)
    var hashSize = hash.count
    guard godwit_certificate_key_hash(certificate, &hash, &hashSize) == GNUTLS_E_SUCCESS, hashSize == hash.count else {
      throw TLSError(description: "\(path): the public key of the certificate cannot be read")
    }
    keyPin = Data(hash).base64EncodedString()
  }
}
