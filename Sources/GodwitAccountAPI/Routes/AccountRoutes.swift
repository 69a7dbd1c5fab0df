internal import GodwitHTTP
package import GodwitRoutes

/// Routes of accounts, sharing and privacy.
package enum AccountRoutes {
  package typealias Route = APIRoute<AccountHandlers>

  package static let all: [Route] =
    (SessionRoutes.all + UserRoutes.all + PreferenceRoutes.all + SecondFactorRoutes.all + PasskeyRoutes.all + OpenIDRoutes.all
    + TokenRoutes.all).map {
      $0.tagged("accounts")
    }
    + SharingRoutes.all.map { $0.tagged("sharing") } + PrivacyRoutes.all.map { $0.tagged("privacy") }
}
