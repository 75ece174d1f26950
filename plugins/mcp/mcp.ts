/** The services that all routes share. Replaced at each reload, except for the hub. */
import type { Svc } from 'svc/plugin'
import type { Bounds } from './bounds.ts'
import type { Hub } from './sessions/hub.ts'
import type { Options } from './options.ts'
import type { Server } from './registry/server.ts'
import type { Variables } from './variables.ts'

export interface Mcp {
  readonly svc: Svc<Options, Variables>
  readonly bounds: Bounds
  readonly hub: Hub
  /** Complete when all plugins have registered. */
  readonly servers: ReadonlyMap<string, Server>
}
