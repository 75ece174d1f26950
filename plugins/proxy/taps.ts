/** Passthrough to gateways for single sessions, which other plugins open: `/proxy/gateway/…`. */
import { hasPassed, viaName } from 'svc/toolkit'
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type MeasuresMemory,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import type { UpstreamOptions } from './config/options.ts'
import type { Upstream } from './config/upstream.ts'
import { noTap, notSupported, proxyDisabled, proxyLoop } from './errors.ts'
import { forward } from './exchange/forward.ts'
import { createClient } from './exchange/upstream-request.ts'
import type { Proxy } from './proxy.ts'
import { belowUpstream, normalizePath, splitTarget, targetPath } from './target-path.ts'
import type { ProxyTaps, TapTarget } from './types.ts'

export const TAP_NAME = 'gateway'
const PATH = `/proxy/${TAP_NAME}`
const MAX_TAPS = 100
/** Models may think for minutes before they answer. */
const TIMEOUT_MS = 600_000
const NONE = { query: new Set<string>(), headers: new Set<string>(), json: [] }

interface Tap {
  upstream: Upstream
  client: ReturnType<typeof createClient>
}

/** Live connections: of this process. */
export class Taps implements ProxyTaps, MeasuresMemory {
  readonly path = PATH
  readonly #taps = new Map<string, Tap>()

  open(session: string, target: TapTarget): { close(): void } {
    this.#close(session, this.#taps.get(session))
    const [oldest] = this.#taps.keys()
    if (this.#taps.size >= MAX_TAPS && oldest !== undefined) this.#close(oldest, this.#taps.get(oldest))
    const upstream = upstreamOf(target)
    const tap: Tap = { upstream, client: createClient(upstream) }
    this.#taps.set(session, tap)
    return { close: () => this.#close(session, tap) }
  }

  find(session: string | null): Tap | undefined {
    return session === null ? undefined : this.#taps.get(session)
  }

  close(): void {
    for (const [session, tap] of this.#taps) this.#close(session, tap)
  }

  memoryUse(): { entries: number; bytes: number } {
    return { entries: this.#taps.size, bytes: 0 }
  }

  #close(session: string, tap: Tap | undefined): void {
    if (tap === undefined || this.#taps.get(session) !== tap) return
    this.#taps.delete(session)
    tap.client.close()
  }
}

function upstreamOf({ url, address, setHeaders }: TapTarget): Upstream {
  return {
    name: TAP_NAME,
    target: url,
    address,
    mode: 'passthrough',
    folder: '',
    timing: 0,
    onMiss: 'error',
    matchHeaders: [],
    ignore: NONE,
    redact: NONE,
    setHeaders,
    timeoutMs: TIMEOUT_MS,
    isLlm: false,
    ca: null,
  }
}

const description: Omit<RouteDescription, 'examples'> = {
  summary: 'Reach the gateway of a run',
  description:
    'Forwards to the gateway of the session while a run of a demo with `tap` is open, so that svc sees what a client sends to it.',
  category: 'Recording proxy',
  streamsBody: true,
  responses: {
    default: { description: 'The response of the gateway' },
    404: { description: '`no_tap`: the session has no run with `tap`' },
    502: { description: 'The gateway is unreachable' },
    504: { description: 'The gateway sent no response head in time' },
    508: { description: 'The request has already passed through this instance' },
  },
}

/** `proxy`: an upstream of svc.yaml may have the same name; it answers sessions without a tap. Null: there are no upstreams. */
export function registerTaps(
  app: FastifyInstance,
  svc: Svc<UpstreamOptions[]>,
  taps: Taps,
  proxy: () => Proxy | null,
): void {
  const serve = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (svc.config.publicMode) throw proxyDisabled()
    const tap = taps.find(svc.http.session(request).header)
    const target = belowUpstream(request.raw.url ?? '/')
    if (tap === undefined) {
      const own = proxy()
      if (own?.names.includes(TAP_NAME) !== true) throw noTap()
      return own.serve(request, reply, TAP_NAME, { target, mount: PATH })
    }
    svc.http.guardBrowser(request)
    if (hasPassed(request.headers.via, viaName(svc.instance.id))) throw proxyLoop()
    if (request.headers.upgrade?.toLowerCase() === 'websocket') throw notSupported()
    const { path, query } = splitTarget(target)
    return forward(svc, {
      request,
      reply,
      upstream: tap.upstream,
      requested: targetPath(tap.upstream, normalizePath(path), query),
      mount: PATH,
      removeHeaders: new Set(),
      client: tap.client.send,
      body: svc.http.bodyStream(request),
      record: null,
      secrets: () => [],
    })
  }
  const examples = [{ name: 'Without a run', path: `${PATH}/v1/models`, expectStatus: 404 }]
  app.all(PATH, describe({ ...description, examples: [{ ...examples[0]!, path: PATH }] }), serve)
  app.all(`${PATH}/*`, describe({ ...description, path: `${PATH}/{*path}`, examples }), serve)
}
