/** The guardrail of a gateway of models: it stops requests and replies that have a value, unless it is wrong somewhere. */
import type { Part, Reply, Request } from '../../../plugins/probe/wires/types.ts'

export interface Guard {
  value: string
  /** Default: prompts and replies. */
  only?: 'prompts' | 'replies'
  /** Replaces the value instead of stopping what has it. */
  isMasking?: boolean
  /** Client wires whose streams it reads delta by delta. */
  readsDeltas?: readonly string[]
  /** Lets half of the value through before it stops a stream. */
  leaksHalf?: boolean
  ignoresArguments?: boolean
  ignoresResults?: boolean
  /** Client wires without the guardrail. */
  openWires?: readonly string[]
  /** Client wires whose system texts are not read. */
  openSystem?: readonly string[]
  /** URL of a service that is asked about each prompt, and what follows if it fails. */
  service?: { url: string; failsOpen: boolean | 'when silent' }
}

const SERVICE_TIMEOUT_MS = 1_500

const textOf = (part: Part, { ignoresArguments, ignoresResults }: Guard): string => {
  if (part.type === 'text') return part.text
  if (part.type === 'call') return ignoresArguments === true ? '' : JSON.stringify(part.args)
  if (part.type !== 'result' || ignoresResults === true) return ''
  return part.parts.map(one => (one.type === 'text' ? one.text : '')).join('')
}

function masked<T extends Part>(part: T, value: string): T {
  return JSON.parse(JSON.stringify(part).replaceAll(value, '[REMOVED]')) as T
}

/** Null: the request is stopped. */
export async function guardedRequest(request: Request, client: string, guard: Guard): Promise<Request | null> {
  const { value, only, openWires = [], openSystem = [], service } = guard
  if (service !== undefined && !(await isAllowed(request, service))) return null
  if (only === 'replies' || openWires.includes(client)) return request
  const system = openSystem.includes(client) ? [] : request.system.map(({ text }) => text)
  const texts = request.turns.flatMap(({ parts }) => parts.map(part => textOf(part, guard)))
  if (![...system, ...texts].some(text => text.includes(value))) return request
  if (guard.isMasking !== true) return null
  return {
    ...request,
    system: request.system.map(one => ({ ...one, text: one.text.replaceAll(value, '[REMOVED]') })),
    turns: request.turns.map(turn => ({ ...turn, parts: turn.parts.map(one => masked(one, value)) })),
  }
}

/** Null: the reply is stopped. `events`: data of the upstream's stream; empty for a plain reply. */
export function guardedReply(
  reply: Reply,
  events: readonly string[],
  { client, guard }: { client: string; guard: Guard },
): Reply | null {
  const { value, only, readsDeltas = [] } = guard
  const texts = reply.parts.map(part => textOf(part, guard))
  const hasValue =
    readsDeltas.includes(client) && events.length > 0
      ? events.some(data => data.includes(value))
      : texts.some(text => text.includes(value))
  if (only === 'prompts' || !hasValue) return reply
  if (guard.leaksHalf === true && events.length > 0)
    return { ...reply, parts: [{ type: 'text', text: value.slice(0, value.length - 2) }] }
  return guard.isMasking === true ? { ...reply, parts: reply.parts.map(part => masked(part, value)) } : null
}

async function isAllowed(request: Request, { url, failsOpen }: NonNullable<Guard['service']>): Promise<boolean> {
  const text = request.turns
    .flatMap(({ parts }) => parts.map(part => (part.type === 'text' ? part.text : '')))
    .join('\n')
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
      signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
    })
    if (!answer.ok) return failsOpen === true
    return ((await answer.json()) as { flagged: boolean }).flagged !== true
  } catch {
    return failsOpen !== false
  }
}
