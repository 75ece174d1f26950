/** The plugin `mcp-hostile`: MCP servers that attack their clients, to test what a gateway lets through. */
import { definePlugin } from 'svc/plugin'
import type { HostileParts } from './hostile-server.ts'
import { registerApp } from './servers/app.ts'
import { registerAsk } from './servers/ask.ts'
import { registerAuth } from './servers/auth.ts'
import { registerCursor } from './servers/cursor.ts'
import { registerDuplicate } from './servers/duplicate.ts'
import { registerHuge } from './servers/huge.ts'
import { registerPoison } from './servers/poison.ts'
import { registerResult } from './servers/result.ts'
import { registerRugpull } from './servers/rugpull.ts'
import { registerSchema } from './servers/schema.ts'
import { registerSession } from './servers/session.ts'
import { registerShadow } from './servers/shadow.ts'
import { registerSkills } from './servers/skills.ts'
import { registerStorm } from './servers/storm.ts'
import { registerStream } from './servers/stream.ts'
import { registerUnicode } from './servers/unicode.ts'
import { registerWire } from './servers/wire.ts'

const SERVERS: readonly ((parts: HostileParts) => void)[] = [
  registerPoison,
  registerRugpull,
  registerShadow,
  registerUnicode,
  registerSchema,
  registerResult,
  registerHuge,
  registerCursor,
  registerDuplicate,
  registerWire,
  registerStream,
  registerSession,
  registerStorm,
  registerAsk,
  registerAuth,
  registerSkills,
  registerApp,
]

export default definePlugin({
  title: 'Hostile MCP servers',
  description: 'MCP servers that attack their clients on purpose, to test gateways and agents',
  paths: [],
  buildsOn: ['mcp'],
  register(_app, svc) {
    const servers = svc.use('mcp.servers')
    if (!servers) throw new Error('the plugin mcp-hostile needs the extension point mcp.servers')
    for (const register of SERVERS) register({ servers, svc })
  },
})
