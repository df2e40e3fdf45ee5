-- Sets the view that reads of a name get.
-- KEYS[1]  the alias of the name
-- ARGV[1]  qualified name of the view
-- Answers 1.

redis.call('SET', KEYS[1], ARGV[1])
return 1
