-- The functions that the loads of Overland batches share. Environment: BATCH (records in a request).
local batches = { size = tonumber(os.getenv("BATCH") or "200") }
batches.an_hour = math.floor(3600 / batches.size)
-- The parts of a request's body with the records of consecutive seconds of an hour; body() puts the hour between them.
-- place(second) returns a longitude and a latitude.
function batches.parts(first, motion, speed, place)
  local parts = {}
  for i = first, first + batches.size - 1 do
    local lead = #parts == 0 and '{"locations":[' or ','
    parts[#parts + 1] = lead .. string.format(
      '{"type":"Feature","geometry":{"type":"Point","coordinates":[%.7f,%.7f]},"properties":{"timestamp":"', place(i))
    parts[#parts + 1] = "" -- the hour
    parts[#parts + 1] = string.format(
      '%02d:%02dZ","altitude":%d,"speed":%d,"course":%d,"horizontal_accuracy":%d,"vertical_accuracy":%d,' ..
      '"speed_accuracy":0.42,"course_accuracy":3.1,"motion":["%s"],"battery_state":"unplugged",' ..
      '"battery_level":0.81,"wifi":"","device_id":"walker","unique_id":"7F3A2C1E-9B4D-4E6F-8A1B-2C3D4E5F6A7B"}}',
      math.floor(i / 60), i % 60, 700 + i % 50, speed + i % 3, i % 360, 4 + i % 8, 3 + i % 4, motion)
  end
  parts[#parts + 1] = ']}'
  return parts
end
-- The parts of all requests of an hour, by number from 0.
function batches.hour(motion, speed, place)
  local requests = {}
  for number = 0, batches.an_hour - 1 do requests[number] = batches.parts(number * batches.size, motion, speed, place) end
  return requests
end
-- Returns the body of a request. The hour is counted from 1970.
function batches.body(parts, hour)
  local stamp = os.date("!%Y-%m-%dT%H:", hour * 3600)
  for i = 2, 3 * batches.size, 3 do parts[i] = stamp end
  return table.concat(parts)
end
function batches.tokens()
  local tokens = {}
  for token in os.getenv("TOKENS"):gmatch("[^,]+") do tokens[#tokens + 1] = token end
  return tokens
end
local bad = 0
function batches.response(status, headers, body)
  if status ~= 200 or not body:find('"saved":' .. batches.size, 1, true) then
    bad = bad + 1
    if bad < 4 then print(status, body) end
  end
end
function batches.done(summary, latency, requests)
  io.write(string.format("requests_per_second %.1f\nrecords_per_second %.1f\nrequests %d\nerrors %d\np50_us %d\np99_us %d\n",
    summary.requests / summary.duration * 1e6, summary.requests * batches.size / summary.duration * 1e6, summary.requests,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
return batches
