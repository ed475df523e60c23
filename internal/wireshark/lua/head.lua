-- A second load of this file is silent.
if _G.dpdissect_loaded then return end
_G.dpdissect_loaded = true

local byte, sub, floor, format = string.byte, string.sub, math.floor, string.format
