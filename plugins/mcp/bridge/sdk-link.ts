/** Owns the link to a server of an SDK in this process. */
import type { JsonObject, SdkDefinition, SdkServer, SdkTransport } from '../types.ts'
import type { Link, LinkEvents, LinkSource } from './link.ts'

/** Links to the objects of a definition. */
export function sdkSource(definition: SdkDefinition): LinkSource {
  const { server, create } = definition
  return {
    kind: 'sdk',
    isPerSession: create !== undefined,
    async create(session) {
      const made = server ?? (await create?.(session))
      if (!made) throw new Error('the definition has no server')
      return new SdkLink(made)
    },
  }
}

class SdkLink implements Link {
  readonly isInProcess = true
  readonly isStateless = false
  readonly pid = null
  readonly #server: SdkServer
  #transport: SdkTransport | null = null

  constructor(server: SdkServer) {
    this.#server = server
  }

  async open(events: LinkEvents): Promise<void> {
    const transport: SdkTransport = {
      start: async () => {},
      send: async message => events.received(throughJson(message)),
      close: async () => {
        transport.onclose?.()
        events.closed({ reason: 'the server has closed its connection' })
      },
    }
    this.#transport = transport
    await this.#server.connect(transport)
  }

  send(message: JsonObject): void {
    this.#transport?.onmessage?.(throughJson(message) as never)
  }

  follow(): void {}

  close(): Promise<void> {
    return this.#server.close()
  }
}

/** Messages within a process may have undefined members, which JSON does not. */
function throughJson(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message))
}
