-- Registration: what cannot be had because another plugin has its name is left out.
local function setting(proto, key, label, doc, values)
  local list = {}
  for i, v in ipairs(values) do list[i] = { i, v, i - 1 } end
  proto.prefs[key] = Pref.enum(label, 0, doc, list, false)
  return function()
    local v = values[(proto.prefs[key] or 0) + 1]
    if v ~= "auto" then return v end
    return nil
  end
end

-- settings are the preferences of protocols that tell a layout.
local settings = {
  dp8 = function(proto)
    local signing = setting(proto, "signing", "Signing", "Whether 8 bytes of signature follow the headers of packets without a comment", { "auto", "none", "fast", "full" })
    local v = setting(proto, "version", "Version", "The lower version of both sides, for packets without a comment", { "auto", "1.4", "1.5", "1.6" })
    return function() return { signing = signing(), version = version(v()) } end
  end,
  knet = function(proto)
    local dialect = setting(proto, "dialect", "Dialect", "Layout of packets without a comment", { "reference", "spec" })
    local ids = setting(proto, "ids", "Id of PingRequest", "Ids of the control messages, for packets without a comment", { "auto", "0", "1" })
    return function() return { dialect = dialect(), ids = ids() } end
  end,
  hazel = function(proto)
    local dialect = setting(proto, "dialect", "Dialect", "Layout of packets without a comment", hazelDialects)
    return function() return { dialect = dialect() } end
  end,
}

local udpPorts = DissectorTable.get("udp.port")

-- follow gives a protocol the ports that its preference names.
local function follow(proto)
  proto.prefs.ports = Pref.range("UDP ports", "", "Ports of packets that are shown without a comment", 65535)
  local had = ""
  proto.prefs_changed = function()
    local ports = proto.prefs.ports or ""
    if had ~= "" then udpPorts:remove(had, proto) end
    if ports ~= "" then udpPorts:add(ports, proto) end
    had = ports
  end
end

for _, t in ipairs(titles) do
  local ok, proto = pcall(Proto, t.filter, t.title)
  if ok then
    local p = { name = t.name, proto = proto, column = string.upper(t.name), layout = function() return {} end }
    register(proto, t.defs)
    if settings[t.name] then p.layout = settings[t.name](proto) end
    if t.ports then follow(proto) end
    proto.dissector = function(tvb, pinfo, tree)
      local entries = comment()
      local named = namedIn(entries) -- goes before what the conversation or the user said
      show(named or p, tvb, pinfo, tree, named and entries)
      return tvb:len()
    end
    udpPorts:add_for_decode_as(proto)
    p.handle = Dissector.get(t.filter) -- tells whether a field of the protocol is asked for
    protocols[t.name] = p
  end
end
