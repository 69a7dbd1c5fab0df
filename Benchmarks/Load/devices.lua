-- Load for `wrk`: Overland requests of many devices in turn, each with its own hours of this month, so that the store has to keep
-- every record.
-- Environment: TOKENS (between commas), BATCH (records in a request), HOUR (the first, counted from 1970).
local tokens = {}
for token in os.getenv("TOKENS"):gmatch("[^,]+") do tokens[#tokens + 1] = token end
local batch = tonumber(os.getenv("BATCH") or "200")
local first = tonumber(os.getenv("HOUR"))
function init(args)
  pieces = {}
  counter = 0
  for i = 0, batch - 1 do
    local lead = i == 0 and '{"locations":[' or ','
    pieces[#pieces + 1] = lead .. string.format(
      '{"type":"Feature","geometry":{"type":"Point","coordinates":[%.7f,%.7f]},"properties":{"timestamp":"',
      14.0 + i * 0.0001234, 45.4 + i * 0.0000987)
    pieces[#pieces + 1] = "" -- the hour
    pieces[#pieces + 1] = string.format(
      '%02d:%02dZ","altitude":%d,"speed":%d,"course":%d,"horizontal_accuracy":%d,"vertical_accuracy":%d,' ..
      '"speed_accuracy":0.42,"course_accuracy":3.1,"motion":["walking"],"battery_state":"unplugged",' ..
      '"battery_level":0.81,"wifi":"","device_id":"walker","unique_id":"7F3A2C1E-9B4D-4E6F-8A1B-2C3D4E5F6A7B"}}',
      math.floor(i / 60), i % 60, 700 + i % 50, 1 + i % 3, i % 360, 4 + i % 8, 3 + i % 4)
  end
  pieces[#pieces + 1] = ']}'
  headers = { ["Content-Type"] = "application/json" }
end
function request()
  local device = counter % #tokens
  local stamp = os.date("!%Y-%m-%dT%H:", (first + math.floor(counter / #tokens)) * 3600)
  counter = counter + 1
  headers["Authorization"] = "Bearer " .. tokens[device + 1]
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
  io.write(string.format("requests_per_second %.1f\nrecords_per_second %.1f\nerrors %d\np50_us %d\np99_us %d\n",
    summary.requests / summary.duration * 1e6, summary.requests * batch / summary.duration * 1e6,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
