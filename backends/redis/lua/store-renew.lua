--@include include/store.lua
local life = ARGV[2]
for _, key in ipairs({ V, M, A, U, X, N }) do redis.call('PEXPIRE', key, life) end
local renewed = {}
for _, packed in ipairs(redis.call('HVALS', M)) do
  local group = cmsgpack.unpack(packed)[2]
  if group ~= '' and not renewed[group] then
    renewed[group] = true
    redis.call('PEXPIRE', S .. ':g:' .. group, life)
  end
end
