-- Writes rows, each into its key, where it is greater than the one there by (window_end, finality, sequence).
-- KEYS  one for each row; a key twice is written in turn
-- ARGV  for how long the row is to live, ms, and the row; and so on
-- Answers how many rows were taken.

local taken = 0
for i, key in ipairs(KEYS) do
  local lives, row = ARGV[2 * i - 1], ARGV[2 * i]
  local kept = redis.call('GET', key)
  if not kept or wins(row, kept) then
    redis.call('SET', key, row, 'PX', lives)
    taken = taken + 1
  end
end
return taken
