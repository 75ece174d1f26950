--@include include/log.lua
for _, key in ipairs({ N, O, F }) do redis.call('PEXPIRE', key, ARGV[2]) end
for _, stream in ipairs(redis.call('ZRANGE', c.of and F or O, 0, -1)) do redis.call('PEXPIRE', keyOf(stream), ARGV[2]) end
