package import GodwitAccess
package import GodwitAccounts
package import GodwitRoutes
package import GodwitTiles

/// The handlers of accounts, sharing and privacy, created once.
package struct AccountHandlers: Sendable {
  let accounts: AccountAPI
  let login: LoginAPI
  let notices: NoticeAPI
  let secondFactor: SecondFactorAPI
  let preferences: PreferencesAPI
  let passkeys: PasskeyAPI
  let openID: OpenIDAPI
  let tokens: TokenAPI
  let friends: FriendAPI
  let links: LinkAPI
  let zones: ZoneAPI
  let retention: RetentionAPI

  package init(
    noticed: NoticedWork, administrator: AdministratorAccess, signIn: SignIn, openID: OpenIDSignIn?,
    limits: ServerLimits, audit: AuditLog, tiles: MapTiles?, basemaps: Basemaps
  ) {
    let work = noticed.work
    accounts = AccountAPI(work: work, administrator: administrator, signIn: signIn, noticed: noticed)
    login = LoginAPI(work: work, administrator: administrator, limits: limits, audit: audit)
    notices = NoticeAPI(work: work)
    secondFactor = SecondFactorAPI(work: work, signIn: signIn, noticed: noticed)
    preferences = PreferencesAPI(work: work)
    passkeys = PasskeyAPI(work: work, noticed: noticed, administrator: administrator)
    self.openID = OpenIDAPI(noticed: noticed, administrator: administrator, signIn: openID)
    tokens = TokenAPI(work: work, noticed: noticed)
    friends = FriendAPI(work: work)
    links = LinkAPI(work: work, administrator: administrator, signIn: signIn, tiles: tiles, basemaps: basemaps)
    zones = ZoneAPI(work: work)
    retention = RetentionAPI(work: work)
  }
}
