--@include include/log.lua
endExpired()
return page(ARGV[2], 'ZRANGEBYSCORE', ARGV[3], '+inf', tonumber(ARGV[4]))
