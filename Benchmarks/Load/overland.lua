-- Load for `wrk`: Overland requests that are all different, so that the store has to keep every one.
-- Environment: TOKEN, BATCH (records in a request), PAUSE (milliseconds before each request of a connection), ERA (which 200 days
-- since 2000). One device, a record a second: in each hour it goes 26 km one way, and back.
local token = os.getenv("TOKEN")
local batch = tonumber(os.getenv("BATCH") or "200")
local era = tonumber(os.getenv("ERA") or "0")
local requests_an_hour = math.floor(3600 / batch)
function init(args)
  sets = {}
  counter = -1
  for set = 0, requests_an_hour - 1 do
    local pieces = {}
    for i = set * batch, set * batch + batch - 1 do
      local lead = #pieces == 0 and '{"locations":[' or ','
      local way = math.min(i, 3600 - i)
      pieces[#pieces + 1] = lead .. string.format(
        '{"type":"Feature","geometry":{"type":"Point","coordinates":[%.7f,%.7f]},"properties":{"timestamp":"',
        14.0 + way * 0.0001234, 45.4 + way * 0.0000987)
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
  headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. token }
end
function request()
  counter = counter + 1
  local stamp = os.date("!%Y-%m-%dT%H:", 946684800 + (era * 4800 + math.floor(counter / requests_an_hour)) * 3600)
  local pieces = sets[counter % requests_an_hour]
  for i = 2, 3 * batch, 3 do pieces[i] = stamp end
  return wrk.format("POST", "/api/overland", headers, table.concat(pieces))
end
local pause = tonumber(os.getenv("PAUSE") or "0")
if pause > 0 then
  function delay() return pause end
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
