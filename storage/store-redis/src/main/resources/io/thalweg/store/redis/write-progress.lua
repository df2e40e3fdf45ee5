-- Records how far a shard of a view is; an earlier window end than the recorded one changes nothing. Another number of shards
-- begins anew. Once all shards have reported, the least of them stands under 'watermark'.
-- KEYS[1]  the view's progress, a hash
-- ARGV     shard, shards, window_end in epoch ms
-- Answers 1 if the record was taken.

local key, shard, shards, window_end = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if redis.call('HGET', key, 'shards') ~= shards then
  redis.call('DEL', key)
  redis.call('HSET', key, 'shards', shards)
end
local before = redis.call('HGET', key, shard)
if before and tonumber(before) >= tonumber(window_end) then
  return 0
end
redis.call('HSET', key, shard, window_end)

local all = redis.call('HGETALL', key)
local reported, least = 0, math.huge
for i = 1, #all, 2 do
  if tonumber(all[i]) then
    reported = reported + 1
    least = math.min(least, tonumber(all[i + 1]))
  end
end
if reported == tonumber(shards) then
  redis.call('HSET', key, 'watermark', string.format('%.0f', least))
end
return 1
