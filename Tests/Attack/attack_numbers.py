"""Extreme values of number types in addresses, headers and bodies."""

import json

import wire

EXTREMES = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "-1", "0", "1e308", "-1e308", "1e309",
    "NaN", "inf", "0.0000000000000000000000001", "9007199254740993", "253402300800000", "00", "+1", "0x7fffffff", "",
]


def extremes(target):
    """Extreme values do not end the process, and do not cause status 500."""
    failures = []

    def ask(what, method, path, headers=None, body=b""):
        if not target.is_alive:
            return None
        try:
            answer = wire.ask(target.port, method, path, {**target.administrator, **(headers or {})}, body)
        except OSError as error:
            failures.append(f"{what}: {type(error).__name__} {error}" + ("" if target.is_alive else "; the server ended"))
            return None
        if answer.status == 500:
            failures.append(f"{what}: status 500")
        return answer

    device = {"Authorization": "Bearer " + target.device}
    # Ranges whose total count overflows a 64-bit integer.
    ends = ("1-1; since=1", "9223372036854775807-9223372036854775807")
    for spans in (ends, ("1-9223372036854775807", "9223372036854775000-9223372036854775001; since=1")):
        for journal in ("aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"):
            for span in spans:
                ask(f"Godwit-Range: {span}", "POST", "/api/overland", {**device, "Godwit-Range": f"{journal} {span}"}, b'{"locations":[]}')
        for path in ("/api/v1/devices", "/api/v1/device-health", "/api/v1/devices/phone/health", "/api/v1/journals", "/metrics"):
            ask(f"GET {path} after ranges with {spans[0]}", "GET", path)
    for value in EXTREMES:
        for field in (value, f"{value}-{value}", f"aaaaaaaaaaaaaaaa {value}-{value}; since={value}"):
            ask(f"Godwit-Range: {field}", "POST", "/api/overland", {**device, "Godwit-Range": field}, b'{"locations":[]}')
        for name in ("Content-Length-Hint", "If-Match", "Range", "Godwit-Record", "X-Limit-U", "Last-Event-ID"):
            ask(f"{name}: {value}", "GET", "/api/v1/devices", {name: value})
        number = value if value and value not in ("NaN", "inf", "00", "+1", "0x7fffffff") else f'"{value}"'
        fix = (
            '{"type":"Feature","geometry":{"type":"Point","coordinates":[%s,%s]},"properties":{"timestamp":%s,'
            '"speed":%s,"altitude":%s,"battery_level":%s,"horizontal_accuracy":%s}}' % ((number,) * 7))
        ask(f"Overland with {value}", "POST", "/api/overland", device, b'{"locations":[%s]}' % fix.encode())
        message = json.dumps({"_type": "location", "lat": 1, "lon": 1, "tst": 1}).replace("1", number)
        ask(f"OwnTracks with {value}", "POST", "/api/owntracks", device, message.encode())
        ask(f"OsmAnd with {value}", "GET", f"/api/osmand/{target.device}?lat={value}&lon={value}&timestamp={value}&speed={value}&hdop={value}&batt={value}")
    # Extreme values of the parameter `after` of a link.
    made = ask("POST /api/v1/links", "POST", "/api/v1/links", {"Content-Type": "application/json"}, b'{"name":"attack","devices":["phone"],"from":"2020-01-01"}')
    if made is not None and made.status in (200, 201):
        token = json.loads(made.body)["path"].rsplit("/", 1)[1]
        for value in EXTREMES:
            ask(f"GET /api/v1/shared/TOKEN?after={value}", "GET", f"/api/v1/shared/{token}?after={value}")
    elif target.is_alive:
        failures.append("no link could be created, so links were not attacked")
    if not target.is_alive:
        failures.append("the server ended")
    return failures
