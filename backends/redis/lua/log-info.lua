--@include include/log.lua
endExpired()
local isThere = owns(ARGV[2])
local one, all = statesOf(L, ARGV[2])
if not isThere or not one then return { isThere and 1 or 0, 0, 0, all[ALL_BYTES], all[ALL_ENTRIES] } end
return { 1, one[LAST], one[ENTRIES], all[ALL_BYTES], all[ALL_ENTRIES] }
