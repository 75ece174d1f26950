/** The load of an endpoint: that of the mock LLM's engines, if the endpoint is a listener of this instance. */
import type { Svc } from 'svc/plugin'
import type { Providers } from '../../llm/types.ts'

export interface EndpointLoad {
  /** Generations; 0 for other endpoints. */
  running: number
  /** Every engine runs as many as it can. */
  isFull: boolean
}

export function loadOf(
  endpoint: string,
  instance: Svc['instance'],
  providers: Pick<Providers, 'loads'> | undefined,
): EndpointLoad {
  const port = Number(endpoint.slice(endpoint.lastIndexOf(':') + 1))
  const listener = instance.listeners().find(one => one.port === port && /^https?$/.test(one.kind))
  if (listener === undefined || providers === undefined) return { running: 0, isFull: false }
  const { serves } = listener
  const engines = providers.loads().filter(({ id }) => serves === null || serves.split('/').includes(id))
  return {
    running: engines.reduce((sum, { load }) => sum + load.running, 0),
    isFull: engines.length > 0 && engines.every(({ load, slots }) => load.running >= slots),
  }
}
