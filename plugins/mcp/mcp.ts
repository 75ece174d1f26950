/** The services that all routes share. Replaced at each reload, except for the hub and the tasks. */
import type { Logger, Svc } from 'svc/plugin'
import type { FaultCounter } from 'svc/toolkit'
import type { Bounds } from './bounds.ts'
import type { BridgePool } from './bridge/pool.ts'
import type { Hub } from './sessions/hub.ts'
import type { Options } from './options.ts'
import type { RequestedUse } from './registry/registry.ts'
import type { Server } from './servers/server.ts'
import type { Tasks } from './tasks/tasks.ts'
import type { Variables } from './variables.ts'

export interface Mcp {
  readonly svc: Svc<Options, Variables>
  readonly bounds: Bounds
  readonly hub: Hub
  readonly tasks: Tasks
  readonly pool: BridgePool
  readonly faultCounter: FaultCounter
  /** Complete when all plugins have registered. */
  readonly servers: ReadonlyMap<string, Server>
  /** The logger of the plugin that registered what a request uses, for its errors. */
  logOf(use: RequestedUse): Logger
}
