internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of the second factor.
enum SecondFactorRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] = [
    Route(methods: ["GET"], path: "/api/v1/second-factor", access: .account, summary: "Returns the state of the second factor") {
      $0.secondFactor.show($1)
    },
    Route(
      methods: ["POST"], path: "/api/v1/second-factor", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Begins the enrolment of an authenticator app"
    ) { try $0.secondFactor.begin($1) },
    Route(
      methods: ["POST"], path: "/api/v1/second-factor/activation", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Finishes the enrolment with a code of the app"
    ) { try $0.secondFactor.activate($1) },
    Route(
      methods: ["POST"], path: "/api/v1/second-factor/recovery-codes", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Replaces the recovery codes"
    ) { try $0.secondFactor.renewRecoveryCodes($1) },
    Route(
      methods: ["POST"], path: "/api/v1/second-factor/removal", access: .accountChange, maximumBody: JSONBody.limit,
      summary: "Removes the second factor"
    ) { try $0.secondFactor.remove($1) },
    Route(
      methods: ["DELETE"], path: "/api/v1/users/NAME/second-factor", access: .ownerChange,
      summary: "Removes the second factor of a user"
    ) { $0.secondFactor.removeOfUser($1) }.confirmed(),
  ]
}
