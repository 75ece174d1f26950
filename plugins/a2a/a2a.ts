/** The services that all parts of the plugin share. Replaced at each reload, except for the stores below. */
import type { Svc } from 'svc/plugin'
import type { FaultCounter } from 'svc/toolkit'
import type { AgentRegistry } from './agent-registry.ts'
import type { Bounds } from './bounds.ts'
import type { CardSigner } from './cards/signer.ts'
import type { Options } from './options.ts'
import type { SinkStore } from './push/sink.ts'
import type { TaskService } from './tasks/task-service.ts'
import type { TaskStore } from './tasks/task-store.ts'
import type { Variables } from './variables.ts'

export interface A2a {
  readonly svc: Svc<Options, Variables>
  readonly agents: AgentRegistry
  readonly tasks: TaskStore
  readonly service: TaskService
  readonly sinks: SinkStore
  readonly tenants: readonly string[]
  readonly signer: CardSigner
  readonly bounds: Bounds
  readonly faultCounter: FaultCounter
}
