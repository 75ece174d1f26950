/** The endpoints that services pick from: those of svc.yaml, or those that a client has set until the next reload. */
import { describe, type FastifyInstance, HttpError, type Replicated, type Svc } from 'svc/plugin'
import { jsonReply, list, object, TEXT } from 'svc/toolkit'
import type { ServicesOptions } from './services.ts'

export const MAX_ENDPOINTS = 100
/** `host:port`, with an IPv6 address in brackets. */
const ENDPOINT =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]):(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$/
export const ENDPOINT_PATTERN = ENDPOINT.source
const PATH = '/_svc/services/endpoints'
const MAX_SHOWN = 100

export class Endpoints {
  readonly #set: Replicated<string[] | null>
  readonly #configured: readonly string[]

  constructor(svc: Svc<ServicesOptions>) {
    this.#configured = svc.options.endpoints
    this.#set = svc.replicated<string[] | null>('endpoints', { initial: () => null })
    // What was set ends with the next generation, not with the start of another replica.
    const generations = svc.shared('generations', () => ({ count: 0 }))
    const isReload = generations.count++ > 0
    svc.whenRegistered(async () => {
      if (isReload) await this.#set.update(() => null)
    })
  }

  current(): readonly string[] {
    return this.#set.current ?? this.#configured
  }

  onChange(listener: () => void): () => void {
    return this.#set.subscribe(listener)
  }

  /** Sets them on all replicas. */
  async set(endpoints: string[]): Promise<void> {
    await this.#set.update(() => endpoints)
  }
}

export function registerEndpoints(app: FastifyInstance, svc: Pick<Svc, 'http'>, endpoints: Endpoints): void {
  app.put(
    PATH,
    describe({
      summary: 'Set the endpoints that services pick from',
      description: 'On all replicas, in place of `services.endpoints`, until the next reload.',
      category: 'Control Plane',
      requestBody: { description: 'A list of `host:port`', content: { 'application/json': list(TEXT) } },
      reply: jsonReply(object({ endpoints: list(TEXT) }), 'ServiceEndpoints'),
      responses: { 200: { description: 'The endpoints' }, 400: { description: '`invalid_endpoints`' } },
      examples: [
        {
          name: 'One endpoint',
          method: 'PUT',
          path: PATH,
          body: '["127.0.0.1:8080"]',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    async request => {
      svc.http.guardAdmin(request)
      await endpoints.set(readEndpoints(svc.http.body(request)))
      return { endpoints: endpoints.current() }
    },
  )
}

/** Repeated ones are dropped. */
function readEndpoints(body: Buffer): string[] {
  let given: unknown
  try {
    given = JSON.parse(body.toString())
  } catch {
    throw invalid(null, 'expected a JSON list of host:port')
  }
  if (!Array.isArray(given) || given.length > MAX_ENDPOINTS)
    throw invalid(null, `expected a JSON list of at most ${MAX_ENDPOINTS} endpoints`)
  for (const [index, endpoint] of (given as unknown[]).entries())
    if (typeof endpoint !== 'string' || !ENDPOINT.test(endpoint))
      throw invalid(`[${index}]`, `${shown(endpoint)} is not host:port`)
  return [...new Set(given as string[])]
}

/** Lists and objects may be nested deeply, and are not printed. */
function shown(endpoint: unknown): string {
  if (typeof endpoint === 'object' && endpoint !== null) return Array.isArray(endpoint) ? 'a list' : 'an object'
  return JSON.stringify(endpoint).slice(0, MAX_SHOWN)
}

function invalid(at: string | null, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_endpoints', ...(at === null ? {} : { at }), details })
}
