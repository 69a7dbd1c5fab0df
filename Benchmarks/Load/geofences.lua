-- Load for `wrk`: Overland requests of many devices in turn. Each device drives round a circle with 180 geofences on its line, a fix
-- a second and a round an hour: one fix in ten enters or leaves a geofence (GeofenceLoad.swift has them).
-- Environment: TOKENS (between commas), BATCH (records in a request), HOUR (the first, counted from 1970).
local tokens = {}
for token in os.getenv("TOKENS"):gmatch("[^,]+") do tokens[#tokens + 1] = token end
local batch = tonumber(os.getenv("BATCH") or "200")
local first = tonumber(os.getenv("HOUR"))
local requests_an_hour = math.floor(3600 / batch)
function init(args)
  sets = {}
  counter = -1
  local meter = 1 / 111195.08
  for set = 0, requests_an_hour - 1 do
    local pieces = {}
    for i = set * batch, set * batch + batch - 1 do
      local lead = #pieces == 0 and '{"locations":[' or ','
      local angle = 2 * math.pi * i / 3600
      pieces[#pieces + 1] = lead .. string.format(
        '{"type":"Feature","geometry":{"type":"Point","coordinates":[%.7f,%.7f]},"properties":{"timestamp":"',
        14.0 + 8365 * meter * math.sin(angle) / math.cos(math.rad(45.4)), 45.4 + 8365 * meter * math.cos(angle))
      pieces[#pieces + 1] = "" -- the hour
      pieces[#pieces + 1] = string.format(
        '%02d:%02dZ","altitude":%d,"speed":%d,"course":%d,"horizontal_accuracy":%d,"vertical_accuracy":%d,' ..
        '"speed_accuracy":0.42,"course_accuracy":3.1,"motion":["driving"],"battery_state":"unplugged",' ..
        '"battery_level":0.81,"wifi":"","device_id":"walker","unique_id":"7F3A2C1E-9B4D-4E6F-8A1B-2C3D4E5F6A7B"}}',
        math.floor(i / 60), i % 60, 700 + i % 50, 14 + i % 3, i % 360, 4 + i % 8, 3 + i % 4)
    end
    pieces[#pieces + 1] = ']}'
    sets[set] = pieces
  end
  headers = { ["Content-Type"] = "application/json" }
end
function request()
  counter = counter + 1
  local device = counter % #tokens
  local number = math.floor(counter / #tokens)
  local stamp = os.date("!%Y-%m-%dT%H:", (first + math.floor(number / requests_an_hour)) * 3600)
  headers["Authorization"] = "Bearer " .. tokens[device + 1]
  local pieces = sets[number % requests_an_hour]
  for i = 2, 3 * batch, 3 do pieces[i] = stamp end
  return wrk.format("POST", "/api/overland", headers, table.concat(pieces))
end
local bad = 0
function response(status, headers, body)
  if status ~= 200 or not body:find('"saved":' .. batch, 1, true) then
    bad = bad + 1
    if bad < 4 then print(status, body) end
  end
end
function done(summary, latency, requests)
  io.write(string.format("requests_per_second %.1f\nrecords_per_second %.1f\nrequests %d\nerrors %d\np50_us %d\np99_us %d\n",
    summary.requests / summary.duration * 1e6, summary.requests * batch / summary.duration * 1e6, summary.requests,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
