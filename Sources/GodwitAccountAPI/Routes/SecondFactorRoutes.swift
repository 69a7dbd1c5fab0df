internal import GodwitHTTP
internal import GodwitRoutes

/// Routes of the second factor.
enum SecondFactorRoutes {
  typealias Route = APIRoute<AccountHandlers>

  static let all: [Route] =
    ofRequester.map { $0.looking { handlers, request throws(Problem) in try handlers.secondFactor.user(request) } } + [
      Route(
        .delete, path: "/api/v1/users/NAME/second-factor", access: .administratorChange, id: "removeSecondFactorOfUser",
        summary: "Removes the second factor of a user", returns: "It is removed.", parameter: "The user's name."
      ) { $0.secondFactor.removeOfUser }.confirmed()
    ]

  private static let ofRequester: [Route] = [
    Route(
      .get, path: "/api/v1/second-factor", access: .account, id: "secondFactor",
      summary: "Returns the state of the second factor", returns: "The state."
    ) { $0.secondFactor.show },
    Route(
      .post, path: "/api/v1/second-factor", access: .accountChange, id: "beginSecondFactor",
      summary: "Begins the enrolment of an authenticator app",
      details: "Sign-in needs no code before the enrolment is finished. A new enrolment replaces the secret.",
      returns: "The secret for the app.", problems: [409]
    ) { $0.secondFactor.begin },
    Route(
      .post, path: "/api/v1/second-factor/activation", access: .accountChange, id: "activateSecondFactor",
      summary: "Finishes the enrolment with a code of the app", returns: "Recovery codes.", problems: [409]
    ) { $0.secondFactor.activate },
    Route(
      .post, path: "/api/v1/second-factor/recovery-codes", access: .accountChange, id: "renewRecoveryCodes",
      summary: "Replaces the recovery codes", returns: "Recovery codes.", problems: [404]
    ) { $0.secondFactor.renewRecoveryCodes },
    Route(
      .post, path: "/api/v1/second-factor/removal", access: .accountChange, id: "removeSecondFactor",
      summary: "Removes the second factor", returns: "It is removed.", problems: [404]
    ) { $0.secondFactor.remove },
  ]
}
