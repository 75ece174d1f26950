/** Requests to models of checks that run once and not for each pair, and what became of them. */
import type { ExchangeEvidence, Mode, RuleStep } from '../checks/translate/types.ts'
import type { PairContext } from '../catalog/check.ts'
import type { Evidence } from '../client/evidence.ts'
import type { ConnectionSpec } from '../client/exchange.ts'
import type { RequestSpec } from '../client/request.ts'
import type { Field } from '../client/response-parser.ts'
import type { Operation, Part, Reply, Request } from '../wires/types.ts'
import { wireOf } from '../wires/wires.ts'
import { withMarker } from './marker.ts'
import { readExchange } from './scene-evidence.ts'
import { fieldsFor, routeOfWire, wireRequest } from './wire-requests.ts'

/** Silence after which an answer is given up. */
const SILENCE_MS = 10_000
/** Without pauses. */
const FAST = { ttft_ms: 0, tokens_per_second: 100_000 }

/** One request, which is served by the route of the upstream. */
export interface ModelCall {
  /** Unique in its check. */
  label: string
  context: PairContext
  request: Request
  mode: Mode
  /** The step of a rule, or one for each arrival. */
  step: RuleStep | readonly RuleStep[]
  /** What becomes of requests to other routes than those of models. */
  others?: 'unavailable' | 'silent'
  /** The marker is in the first text of the user instead of the last one. */
  isLoop?: boolean
  /** The credential of a user, in place of the one of the run. */
  tenant?: string
  /** The label of an earlier call, whose marker and steps it has. */
  sameAs?: string
  more?: Partial<RequestSpec>
}

/** The step of a rule that replies this at once. References are left as they are. */
export function replyStep({ stream, ...reply }: RuleStep & { stream?: RuleStep }): RuleStep {
  return { reply: { template: false, ...reply, stream: { ...FAST, ...stream } } }
}

/** On a connection of its own. Violations of what arrives are kept, but nothing is refused. */
export function connectionOf(
  { label, context, request, mode, step, others, isLoop = false, tenant, sameAs, more }: ModelCall,
  connection: Omit<ConnectionSpec, 'requests'> = {},
): ConnectionSpec {
  const { pair, marks, fields } = context
  const steps = (Array.isArray(step) ? (step as readonly RuleStep[]) : [step as RuleStep]).map(
    one => ('reply' in one ? { ...one, llm: { validation: 'warn' } } : one) as never,
  )
  const spec = wireRequest(
    pair.client,
    marker =>
      pair.client.writeRequest(withMarker(request, marker, { isLoop }), {
        model: pair.model,
        marks,
        stream: mode === 'stream',
      }),
    {
      fields,
      label,
      silenceMs: SILENCE_MS,
      ...(sameAs === undefined
        ? { script: () => [{ do: 'serve', step: steps, ...(others === undefined ? {} : { others }) }] }
        : { sameAs }),
      ...(tenant === undefined
        ? {}
        : { extraFields: extra => fieldsFor(pair.client, asTenant(extra, tenant), fields) }),
      ...more,
    },
  )
  return { route: routeOfWire(pair.client.id), requests: [spec], ...connection }
}

function asTenant(fields: readonly Field[], tenant: string): Field[] {
  return [...fields.filter(([name]) => name.toLowerCase() !== 'authorization'), ['Authorization', `Bearer ${tenant}`]]
}

/** What became of a call. Requests to other routes than those of models do not count as arrivals. */
export function exchangeOf(
  evidence: Evidence,
  { label, context: { pair, wires }, mode }: Pick<ModelCall, 'label' | 'context' | 'mode'>,
  operation: Operation = 'generate',
): ExchangeEvidence {
  const call = evidence.call(label)
  const arrivals = call.arrivals.filter(({ method, target }) => wireOf(wires, method, target)?.operation === operation)
  return readExchange(call, arrivals, { operation, mode, pair, wires })
}

/** The text of a reply, with the arguments of its tool calls. */
export function textOfReply({ parts }: Pick<Reply, 'parts'>): string {
  return parts.map(textOfPart).join('')
}

/** All that a request says to the model. */
export function textOfRequest({ system, turns }: Request): string {
  return [...system.map(({ text }) => text), ...turns.map(({ parts }) => parts.map(textOfPart).join('\n'))].join('\n')
}

function textOfPart(part: Part): string {
  if (part.type === 'text' || part.type === 'thinking' || part.type === 'refusal') return part.text
  if (part.type === 'call') return typeof part.args === 'string' ? part.args : JSON.stringify(part.args)
  if (part.type === 'result')
    return `${part.parts.map(textOfPart).join('\n')}${part.value === undefined ? '' : JSON.stringify(part.value)}`
  return ''
}
