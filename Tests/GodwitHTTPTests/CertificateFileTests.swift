import Foundation
import GodwitHTTP
import Testing

@Suite("Certificates in PEM files")
struct CertificateFileTests {
  /// A certificate whose `notBefore` is a UTCTime and whose `notAfter`, after 2049, is a GeneralizedTime.
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBiDCCAS+gAwIBAgIUV+r7teEtWsSTNfx8me488b2BOU0wCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOZ29kd2l0LmV4YW1wbGUwIBcNMjYxMTI0MDkwMzQ4WhgPMjA2
    MDExMjMwOTAzNDhaMBkxFzAVBgNVBAMMDmdvZHdpdC5leGFtcGxlMFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAEIplf+VN4ThFHiUtjdgDayyqeNQ6sx45+ESBcqZQS
    wEmWnoGWX2xIfLcF4XbTcZpizTgo/aQMm9nfsnoQV95a8qNTMFEwHQYDVR0OBBYE
    FPu7jiiuDy72cTuqS+fn5HKW+W3OMB8GA1UdIwQYMBaAFPu7jiiuDy72cTuqS+fn
    5HKW+W3OMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgKcjEU3wY
    t6w3sdhRR9rslauB27NM2EXBM2kF4f4WrU8CIBHn4pKQhKQ/z4Ng3JdQ7FHGc2+x
    6wat1OVgi7GCZhXA
    -----END CERTIFICATE-----
    """

  @Test("the period of validity and the hash of the public key are read, also after other text", arguments: ["", "a comment\n"])
  func period(head: String) throws {
    let file = try CertificateFile(pem: Data((head + Self.certificate).utf8), path: "a.pem")
    #expect(file.notBefore.formatted(.iso8601) == "2026-11-24T09:03:48Z")
    #expect(file.notAfter.formatted(.iso8601) == "2060-11-23T09:03:48Z")
    // From OpenSSL: x509 -pubkey, pkey -pubin -outform der, dgst -sha256 -binary, base64.
    #expect(file.keyPin == "Hkd6fq7+98QFX+UEBTvQ8/hJ2HJTvxKXY88wqgGWULk=")
  }

  @Test(
    "the error for a file without a valid certificate contains the path of the file",
    arguments: ["", "text", certificate.replacing("MIIB", with: "AAAA"), String(certificate.dropLast(200))])
  func invalid(text: String) throws {
    let error = #expect(throws: TLSError.self) { try CertificateFile(pem: Data(text.utf8), path: "a.pem") }
    #expect(error?.description.hasPrefix("a.pem: no certificate in PEM could be read: ") == true)
  }
}
