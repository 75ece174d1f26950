/** MCP servers behind the gateway: header fields, sessions, streams, lists, and the way to a token. */
import type { Check } from '../../catalog/check.ts'
import { MCP_AUTH, MCP_TOKEN } from './authorization.ts'
import { MCP_CACHE } from './cache.ts'
import { MCP_HEAD, MCP_EXT } from './calls.ts'
import { MCP_CHANGED } from './changed.ts'
import { MCP_FILTER } from './filter.ts'
import { MCP_LARGE } from './large.ts'
import { MCP_LIST } from './lists.ts'
import { MCP_SERVER } from './server.ts'
import { MCP_SESSION, MCP_CANCEL } from './sessions.ts'
import { MCP_STREAM } from './streams.ts'

export const MCP_CHECKS: Check[] = [
  MCP_HEAD,
  MCP_SESSION,
  MCP_STREAM,
  MCP_CANCEL,
  MCP_AUTH,
  MCP_TOKEN,
  MCP_LIST,
  MCP_EXT,
  MCP_CACHE,
  MCP_SERVER,
  MCP_CHANGED,
  MCP_LARGE,
  MCP_FILTER,
]
