/** `fetch` over TLS with a CA and a client certificate, for clients that take a function. */
import { Agent, fetch as fetchWithAgent, type RequestInit as AgentInit } from 'undici'

/** Who is trusted, and what the client presents; PEM. */
export interface TlsIdentity {
  ca: string
  cert?: string
  key?: string
}

/** A function like `fetch`. `close` ends its connections. */
export function httpsFetch(identity: TlsIdentity): { fetch: typeof fetch; close(): Promise<void> } {
  const dispatcher = new Agent({ connect: { ...identity } })
  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const { method, redirect, signal } = request
      const body = request.body === null ? null : Buffer.from(await request.arrayBuffer())
      const sent: AgentInit = { method, redirect, signal, body, headers: [...request.headers], dispatcher }
      const { status, statusText, headers, body: received } = await fetchWithAgent(request.url, sent)
      const shown = new Response(received as BodyInit | null, { status, statusText, headers: [...headers] })
      return Object.defineProperty(shown, 'url', { value: request.url })
    },
    close: () => dispatcher.close(),
  }
}
