-- Load for `wrk`: single OwnTracks locations, all different, as the apps post them; the same for every server.
-- Environment: TOKEN (the password; none if the server requires none), PAUSE (milliseconds before each request of a connection).
local pause = tonumber(os.getenv("PAUSE") or "0")
local password = os.getenv("TOKEN")
local digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
local function base64(text)
  local out = {}
  for i = 1, #text, 3 do
    local a, b, c = text:byte(i, i + 2)
    local n = a * 65536 + (b or 0) * 256 + (c or 0)
    for k = 18, 0, -6 do
      local d = math.floor(n / 2 ^ k) % 64
      out[#out + 1] = digits:sub(d + 1, d + 1)
    end
    if not c then out[#out] = '=' end
    if not b then out[#out - 1] = '=' end
  end
  return table.concat(out)
end
function init(args)
  counter = 0
  start = os.time() - 20 * 366 * 86400
  headers = { ["Content-Type"] = "application/json", ["X-Limit-U"] = "walker", ["X-Limit-D"] = "walker" }
  if password then headers["Authorization"] = "Basic " .. base64("walker:" .. password) end
end
function request()
  counter = counter + 1
  return wrk.format("POST", "/pub", headers, string.format(
    '{"_type":"location","acc":%d,"alt":%d,"batt":81,"bs":1,"conn":"m","created_at":%d,"lat":%.7f,"lon":%.7f,"m":1,"t":"u",' ..
    '"tid":"wa","topic":"owntracks/walker/walker","tst":%d,"vac":%d,"vel":%d,"cog":%d}',
    4 + counter % 8, 700 + counter % 50, start + counter + 1, 45.4 + counter % 10000 * 0.0000987,
    14 + counter % 10000 * 0.0001234, start + counter, 3 + counter % 4, counter % 30, counter % 360))
end
if pause > 0 then
  function delay() return pause end
end
local bad = 0
function response(status, headers, body)
  if status ~= 200 then
    bad = bad + 1
    if bad < 4 then print(status, body) end
  end
end
function done(summary, latency, requests)
  io.write(string.format("requests_per_second %.1f\nerrors %d\np50_us %d\np99_us %d\n",
    summary.requests / summary.duration * 1e6,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
