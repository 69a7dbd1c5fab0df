/// What every route answers to every kind of caller: a route without a row makes a test fail.
///
/// 200 is done; 400 and 404 are answers to the empty request that the test makes, of one who may make a better one; 401 asks who
/// it is, and 403 says that it is the wrong one.
enum AccessTable {
  /// The columns are those of ``CallerKind``, in its order: no credentials, an unknown token, a device's; the administrator's, an administrator's
  /// session, read token and full token; a member's session, read token, read token for one device, full token and write token;
  /// an administrator's token that has expired, and one that was revoked; an administrator's session on a foreign page.
  /// The server listens on a loopback address: no client of its own machine is anonymous.
  private static let text = """
    GET /                                    200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /account                              200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /api                                  200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /api/v1/audit                         401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    GET /api/v1/profile                       401 401 401 400 200 403 200 200 403 403 200 403 401 401 200
    PUT /api/v1/profile                       401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/devices                       401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    POST /api/v1/devices                      401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    PUT /api/v1/devices/NAME                  401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    DELETE /api/v1/devices/NAME/commands      401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/devices/NAME/commands         401 401 401 404 404 404 404 403 403 403 403 403 401 401 404
    POST /api/v1/devices/NAME/commands        401 401 401 422 422 403 422 403 403 403 403 403 401 401 403
    DELETE /api/v1/devices/NAME/friends       401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/devices/NAME/friends          401 401 401 404 404 404 404 403 403 403 403 403 401 401 404
    PUT /api/v1/devices/NAME/friends          401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    GET /api/v1/devices/NAME/health           401 401 401 404 404 404 404 404 404 404 404 403 401 401 404
    GET /api/v1/devices/NAME/current          401 401 401 404 404 404 404 404 404 404 404 403 401 401 404
    DELETE /api/v1/devices/NAME/owntracks-key 401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/devices/NAME/owntracks-key    401 401 401 404 404 404 404 403 403 403 403 403 401 401 404
    PUT /api/v1/devices/NAME/owntracks-key    401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    DELETE /api/v1/devices/NAME/regions       401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/devices/NAME/regions          401 401 401 404 404 404 404 403 403 403 403 403 401 401 404
    PUT /api/v1/devices/NAME/regions          401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    DELETE /api/v1/devices/NAME/retention     401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/devices/NAME/retention        401 401 401 404 404 403 404 404 403 403 404 403 401 401 404
    PUT /api/v1/devices/NAME/retention        401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    POST /api/v1/devices/NAME/retention/run   401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    DELETE /api/v1/devices/NAME/settings      401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/devices/NAME/settings         401 401 401 404 404 404 404 404 404 404 404 403 401 401 404
    PUT /api/v1/devices/NAME/settings         401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/devices/NAME/heartbeat     401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    PUT /api/v1/devices/NAME/heartbeat        401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/devices/NAME/time-zone        401 401 401 404 404 403 404 404 403 403 404 403 401 401 404
    PUT /api/v1/devices/NAME/time-zone        401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    DELETE /api/v1/devices/NAME/mqtt-topics   401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/devices/NAME/mqtt-topics      401 401 401 404 404 404 404 403 403 403 403 403 401 401 404
    PUT /api/v1/devices/NAME/mqtt-topics      401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    DELETE /api/v1/devices/NAME/tokens        401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/events                        401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    GET /api/v1/export                        401 401 401 400 400 400 400 400 400 400 400 403 401 401 400
    GET /api/v1/friends                       401 401 401 400 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/friends                      401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/friends/ID                 401 401 401 400 404 403 404 404 403 403 404 403 401 401 403
    POST /api/colota                          401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    GET /api/gpslogger                        401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    POST /api/gpslogger                       401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    GET /api/gpslogger/TOKEN                  401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    POST /api/gpslogger/TOKEN                 401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    GET /api/v1/groups                        401 401 401 200 200 200 200 403 403 403 403 403 401 401 200
    DELETE /api/v1/groups/NAME/regions        401 401 401 200 200 403 200 403 403 403 403 403 401 401 403
    PUT /api/v1/groups/NAME/regions           401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    POST /api/v1/imports                      401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/imports                       401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/imports/ID/dismiss           401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/imports/ID                    401 401 401 404 404 403 404 404 403 403 404 403 401 401 404
    GET /api/v1/journals                      401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    GET /api/v1/links                         401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/links                        401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/links/ID                   401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    DELETE /api/v1/outliers                   401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/outliers                      401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    PUT /api/v1/outliers                      401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/device-health                 401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    GET /api/v1/mqtt                          401 401 401 200 200 200 200 403 403 403 403 403 401 401 200
    DELETE /api/v1/mqtt/unassigned-topics     401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    GET /api/v1/openapi.json                  200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    POST /api/openlocate                      401 401 400 401 401 401 401 401 401 401 401 400 401 401 401
    GET /api/osmand                           401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    POST /api/osmand                          401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    GET /api/osmand/TOKEN                     401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    POST /api/osmand/TOKEN                    401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    GET /api/overland                         401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    POST /api/overland                        401 401 400 401 401 401 401 401 401 401 401 400 401 401 401
    GET /api/v1/overview                      401 401 401 400 400 400 400 400 400 400 400 403 401 401 400
    POST /api/owntracks                       401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    POST /api/v1/password                     401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/places                        401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/places                       401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/places/ID                  401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    PUT /api/v1/places/ID                     401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/points                        401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    POST /api/v1/qr                           401 401 401 400 400 403 400 400 403 403 400 403 401 401 400
    DELETE /api/v1/rejected                   401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/rejected                      401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    DELETE /api/v1/rejected/ID                401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/rejected/ID                   401 401 401 404 404 404 404 404 404 404 404 403 401 401 404
    POST /api/v1/rejected/ID/retry            401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    POST /api/v1/rejected/retry               401 401 401 200 200 403 200 200 403 403 200 403 401 401 403
    DELETE /api/v1/regions                    401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    GET /api/v1/regions                       401 401 200 200 200 200 200 403 403 403 403 200 401 401 200
    GET /api/regions                          401 401 200 200 200 200 200 403 403 403 403 200 401 401 200
    POST /api/v1/regions                      401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    DELETE /api/v1/regions/ID                 401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/regions/ID                    401 401 401 404 404 404 404 403 403 403 403 403 401 401 404
    PUT /api/v1/regions/ID                    401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    GET /api/v1/region-devices               401 401 401 200 200 200 200 403 403 403 403 403 401 401 200
    GET /api/v1/region-events                 401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    DELETE /api/v1/session                    200 200 200 200 200 200 200 200 200 200 200 200 200 200 403
    GET /api/v1/session                       401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    POST /api/v1/session                      400 400 400 400 400 400 400 400 400 400 400 400 400 400 403
    DELETE /api/v1/sessions                   401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/sessions/ID                401 401 401 400 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/sessions                      401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    GET /api/v1/settings                      401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    GET /api/v1/shared/TOKEN                  404 404 404 404 404 404 404 404 404 404 404 404 404 404 404
    POST /api/v1/shared/TOKEN                 400 400 400 400 400 400 400 400 400 400 400 400 400 400 403
    GET /api/v1/statistics                    401 401 401 400 400 400 400 400 400 400 400 403 401 401 400
    GET /api/v1/tokens                        401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/tokens                       401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/tokens/ID                  401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/tracks                        401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    GET /api/v1/trips                         401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    GET /api/v1/users                         401 401 401 200 200 403 200 403 403 403 403 403 401 401 200
    POST /api/v1/users                        401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    PUT /api/v1/users/NAME                    401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    DELETE /api/v1/devices/NAME               401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    DELETE /api/v1/devices/NAME/points        401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/imports/ID                 401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    DELETE /api/v1/users/NAME                 401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    POST /api/v1/zones/ID/apply               401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/visits                        401 401 401 200 200 200 200 200 200 200 200 403 401 401 200
    GET /api/v1/webhooks                      401 401 401 200 200 403 200 403 403 403 403 403 401 401 200
    POST /api/v1/webhooks                     401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    DELETE /api/v1/webhooks/ID                401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    PUT /api/v1/webhooks/ID                   401 401 401 400 400 403 400 403 403 403 403 403 401 401 403
    GET /api/v1/webhook-deliveries            401 401 401 200 200 403 200 403 403 403 403 403 401 401 200
    DELETE /api/v1/webhook-deliveries/ID      401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    POST /api/v1/webhook-deliveries/ID/retry  401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/zones                         401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/zones                        401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/zones/ID                   401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    PUT /api/v1/zones/ID                      401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /apps/phonetrack/PATH                 401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    POST /apps/phonetrack/PATH                401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    GET /index.php/apps/phonetrack/PATH       401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    POST /index.php/apps/phonetrack/PATH      401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    POST /api/v1/overland/batches             401 401 400 401 401 401 401 401 401 401 401 400 401 401 401
    POST /api/v1/owntracks/points             401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    GET /api/v1/traccar/points                401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    POST /api/v1/traccar/points               401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    POST /api/v1/session/confirmation         401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    GET /api/v1/notices                       401 401 401 200 200 403 200 200 403 403 200 403 401 401 200
    DELETE /api/v1/notices/ID                 401 401 401 404 404 403 404 404 403 403 404 403 401 401 403
    GET /api/v1/second-factor                 401 401 401 400 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/second-factor                401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    POST /api/v1/second-factor/activation     401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    POST /api/v1/second-factor/recovery-codes 401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    POST /api/v1/second-factor/removal        401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/users/NAME/second-factor   401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/passkeys                      401 401 401 400 200 403 200 200 403 403 200 403 401 401 200
    POST /api/v1/passkeys                     401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    POST /api/v1/passkeys/options             401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    PUT /api/v1/passkeys/ID                   401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    DELETE /api/v1/passkeys/ID                401 401 401 400 404 403 404 404 403 403 404 403 401 401 403
    POST /api/v1/session/confirmation/passkey 401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    POST /api/v1/session/confirmation/passkey/options 401 401 401 400 400 403 400 400 403 403 400 403 401 401 403
    POST /api/v1/session/passkey              400 400 400 400 400 400 400 400 400 400 400 400 400 400 403
    POST /api/v1/session/passkey/options      200 200 200 200 200 200 200 200 200 200 200 200 200 200 403
    DELETE /api/v1/users/NAME/passkeys        401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /api/v1/session/openid                200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    POST /api/v1/session/openid               400 400 400 400 400 400 400 400 400 400 400 400 400 400 403
    POST /api/v1/session/openid/options       400 400 400 400 400 400 400 400 400 400 400 400 400 400 403
    DELETE /api/v1/users/NAME/openid          401 401 401 404 404 403 404 403 403 403 403 403 401 401 403
    GET /sign-in/openid                       200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    POST /api/v1/login                        415 415 415 415 415 415 415 415 415 415 415 415 415 415 403
    GET /devices                              200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /healthz                              200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /import                               200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /log/PATH                             401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    POST /log/PATH                            401 401 401 401 401 401 401 401 401 401 401 401 401 401 401
    GET /login                                200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /metrics                              401 401 401 200 200 200 200 403 403 403 403 403 401 401 200
    POST /pub                                 401 401 200 401 401 401 401 401 401 401 401 200 401 401 401
    GET /regions                              200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /s/TOKEN                              200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /sign-in                              200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /statistics                           200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    GET /timeline                             200 200 200 200 200 200 200 200 200 200 200 200 200 200 200
    POST /v1/provider/ID/devicelocation       401 401 400 401 401 401 401 401 401 401 401 400 401 401 401
    """

  /// By method and path.
  static let rows: [String: [Int]] = Dictionary(
    uniqueKeysWithValues: text.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      return ("\(words[0]) \(words[1])", words.dropFirst(2).compactMap { Int($0) })
    })
}
