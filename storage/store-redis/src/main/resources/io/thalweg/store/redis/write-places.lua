-- Notes places of a view, each with the window end of its newest rows; an earlier one than noted changes nothing. Places that have
-- expired are forgotten.
-- KEYS[1]  the places, a sorted set by window end
-- ARGV[1]  for how long it is to live at least, ms
-- ARGV[2]  places noted with an earlier window end than this have expired, epoch ms
-- ARGV[3]  window end in epoch ms, place, window end, place, ...
-- Answers how many places were noted.

local key = KEYS[1]
redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. ARGV[2])
local noted = 0
for i = 3, #ARGV, 2 do
  local before = redis.call('ZSCORE', key, ARGV[i + 1])
  if not before or tonumber(before) < tonumber(ARGV[i]) then
    redis.call('ZADD', key, ARGV[i], ARGV[i + 1])
    noted = noted + 1
  end
end
if redis.call('PTTL', key) < tonumber(ARGV[1]) then
  redis.call('PEXPIRE', key, ARGV[1])
end
return noted
