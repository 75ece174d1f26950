--@include include/log.lua
endExpired()
return page(ARGV[2], 'ZREVRANGEBYSCORE', ARGV[3], '-inf', tonumber(ARGV[4]))
