--@include include/store.lua
dropExpired(1000)
