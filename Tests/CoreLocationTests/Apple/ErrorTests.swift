import CoreLocation
import Foundation
import Testing

@Suite("Errors as Foundation reports them")
struct ErrorTests {
  @Test("errors carry their userInfo, and an NSError of the domain is a CLError")
  func errors() throws {
    let error = CLError(.network, userInfo: ["a": 1, NSLocalizedDescriptionKey: "no network"])
    #expect(error.userInfo["a"] as? Int == 1 && error.errorUserInfo.count == 2 && error.localizedDescription == "no network")
    #expect((error as NSError).domain == kCLErrorDomain && (error as NSError).userInfo["a"] as? Int == 1)
    let plain: any Error = NSError(domain: kCLErrorDomain, code: 1, userInfo: ["b": 2])
    let cast = try #require(plain as? CLError)
    #expect(cast.code == .denied && cast.userInfo["b"] as? Int == 2)
    #expect((NSError(domain: kCLErrorDomain, code: 4) as? CLError)?.code == .regionMonitoringDenied)
    #expect(
      (NSError(domain: "other", code: 1) as? CLError) == nil && NSError(domain: kCLErrorDomain, code: 99) as? CLError == nil)
    do { throw plain } catch CLError.denied {} catch { Issue.record("\(error) is not caught") }
    do { throw plain } catch let error as CLError { #expect(error.code == .denied) }
    #expect(CLError(.denied).userInfo.isEmpty && CLError(.denied) == CLError(.denied, userInfo: ["a": 1]))
  }
}
