/** Runs the items of batches: requests within another one, whose replies nobody waits for. */
import { type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { replaceParameters } from 'svc/toolkit'
import type { Recipient } from '../call/entry-point.ts'
import { ModelCall, type RunItem } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { ItemReply, LlmRoute, ProviderRoute, Rendered, RunItemOptions } from '../contract/route.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import { enterInLedger } from '../steps/record-reply.ts'
import { refuse } from '../steps/refuse.ts'
import { ITEM, passSteps } from './call-path.ts'

/** The request that contains others, with the provider that serves it. */
export interface OuterRequest {
  instance: ProviderInstance
  request: FastifyRequest
  reply: FastifyReply
}

/** Nobody waits. */
export class NoClient implements Recipient {
  readonly isGone = false
  readonly #ended: () => void

  /** `ended`: counts the reply. */
  constructor(ended: () => void) {
    this.#ended = ended
  }

  wait(): Promise<boolean> {
    return Promise.resolve(true)
  }

  leave(): void {}

  abort(): void {}

  deliver(): void {
    this.#ended()
  }
}

/** Creates what runs the items of batches. */
export function createRunItem(services: () => CallServices): RunItem {
  return (outer, path, body, options) => {
    const { routes: all, mounts = [] } = outer.instance.format
    // Batches of a provider have requests in its own format.
    const isMounted = (at: string): boolean =>
      mounts.some(mount => mount.routes.some(({ path: below }) => mount.prefix + below === at))
    const routes = all.filter(isModelRoute).filter(route => !isMounted(route.path))
    const route =
      routes.find(candidate => candidate.method === 'POST' && candidate.path === path) ??
      // The last of several: a provider lists the paths without further parameters last.
      routes.findLast(candidate => candidate.method === 'POST' && isEndOf(path, candidate.path))
    if (route === undefined) throw new Error(`the provider ${outer.instance.name} has no route POST ${path}`)
    return runItem(services(), outer, { route, params: options.params ?? {} }, { body, ...options })
  }
}

function isModelRoute(route: ProviderRoute): route is LlmRoute {
  return route.parse !== undefined
}

function isEndOf(path: string, whole: string): boolean {
  return whole.endsWith(path) && !whole.includes('{')
}

async function runItem(
  services: CallServices,
  { instance, request, reply }: OuterRequest,
  { route, params }: { route: LlmRoute; params: Record<string, string> },
  { body, batch, isCounted }: { body: object } & RunItemOptions,
): Promise<ItemReply> {
  const call = new ModelCall(services, { instance, route, params }, { request, reply }, ITEM, {
    requestId: services.newId(),
    method: 'POST',
    path: instance.basePath + replaceParameters(route.path, ({ name }) => params[name] ?? ''),
    body: Buffer.from(JSON.stringify(body)),
    headers: { 'content-type': 'application/json' },
    batch,
    isCounted,
  })
  const { requestId } = call
  call.recipient = new NoClient(() => {
    if (call.recorded !== null) enterInLedger(call, services, { status: call.recorded.status, reply: 'sent' })
  })
  try {
    await passSteps(ITEM, call, services)
    const { status = 200, body: rendered } = call.whole!.rendered
    return { status, body: objectOf(rendered), requestId }
  } catch (error) {
    const { status, body: shown } = refuse(call, services, error)
    return { status, body: shown, requestId }
  } finally {
    call.output.release()
  }
}

/** Routes render JSON as an object or as text. */
function objectOf(body: Rendered['body']): object {
  return typeof body === 'object' && !Buffer.isBuffer(body) ? body : (JSON.parse(body.toString()) as object)
}
