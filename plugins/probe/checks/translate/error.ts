/** Errors of the upstream before its first byte. */
import type { Difference, WireError } from '../../wires/types.ts'
import { nameOf, unusableOf, verdictOf, type Unusable } from './compared.ts'
import { isTypeOf, standsFor } from './error-words.ts'
import { BOTH_MODES, question, scene } from './scenes.ts'
import type { Aspect, ExchangeEvidence, JudgeFacts, ReadAnswer, Scene, SceneEvidence } from './types.ts'

/** Gateways that repeat a request wait as long as it says, each time. */
const RETRY_AFTER_S = 3
/** Those after which gateways were seen to take a deployment out of service come last, since the run then waits. */
const KINDS = [
  'bad_request',
  'context_length',
  'too_large',
  'server_error',
  'unavailable',
  'overloaded',
  'timeout',
  'forbidden',
  'rate_limit',
  'not_found',
  'invalid_credential',
] as const
/** The gateway's own credential failed, which the client need not know. */
const CREDENTIALS = new Set(['invalid-credential', 'forbidden'])
/** A gateway may try this often again. */
const MAX_REPEATS = 3

export const ERROR: Aspect = {
  id: 'TRN-ERROR',
  title: 'Errors before the first byte',
  level: 'integrity',
  impact: 'high',
  scenes: () =>
    KINDS.map((kind): Scene => {
      const reply = { fail: kind, ...(kind === 'rate_limit' ? { retry_after: RETRY_AFTER_S } : {}) }
      const base = scene(kind.replace('_', '-'), question('Say something.'), {})
      return { ...base, modes: BOTH_MODES, reply, breaks: true }
    }),
  judge(evidence, facts) {
    const found: Found[] = evidence.flatMap(one =>
      one.exchanges.flatMap(exchange => foundIn(exchange, one, facts).toSorted(byWeight).slice(0, 1)),
    )
    const ofWorst = found.toSorted(byWeight)
    const differences = ofWorst.flatMap(({ difference }) => difference ?? [])
    const { verdict, detail } = verdictOf([], ofWorst)
    const others = ofWorst.filter(one => one.verdict === verdict).length - 1
    return { verdict, detail: others > 0 ? `${detail}, and ${others} more` : detail, differences }
  },
}

interface Found extends Unusable {
  difference?: Difference
}

const WEIGHTS: readonly Unusable['verdict'][] = ['fail', 'warn', 'note', 'skip']
const byWeight = (one: Found, other: Found): number => WEIGHTS.indexOf(one.verdict) - WEIGHTS.indexOf(other.verdict)

function foundIn(exchange: ExchangeEvidence, one: SceneEvidence, facts: JudgeFacts): Found[] {
  const { arrivals, answered, received } = exchange
  const what = `${nameOf(one.scene)} (${one.mode})`
  if (arrivals.length === 0) {
    // A gateway may take a deployment out of service for a while after an error.
    const status = received?.native.status ?? null
    if (status !== null && status >= 400)
      return [{ verdict: 'note', detail: `${what}: ${status} without a request to the upstream` }]
    return [unusableOf(exchange, one, facts)].filter(found => found !== null)
  }
  const error = answered?.error ?? null
  if (error === null) return [{ verdict: 'skip', detail: `${what}: the upstream did not fail` }]
  const repeats = arrivals.length - 1
  const often: Found[] =
    repeats > MAX_REPEATS ? [{ verdict: 'fail', detail: `${what}: repeated ${repeats} times` }] : []
  if (received === null) return [...often, { verdict: 'fail', detail: `${what}: no answer comes back` }]
  return [...often, ...receivedErrors(error, received, { what, one, facts })]
}

interface Place {
  what: string
  one: SceneEvidence
  facts: JudgeFacts
}

/** What is wrong with the error that the client gets. */
function receivedErrors(sent: WireError, { native, error, stream }: ReadAnswer, { what, one, facts }: Place): Found[] {
  const at = { side: 'reply', scene: one.scene.id, mode: one.mode, kind: 'changed' } as const
  const found = (verdict: Unusable['verdict'], path: string, text: string, values: object): Found => ({
    verdict,
    detail: `${what}: ${text}`,
    difference: { ...at, path: `/error/${path}`, ...values },
  })
  const { status } = native
  const isOk = status < 400
  if (error === null || (isOk && !error.isRaised))
    return [
      found('fail', 'status', `${sent.status} comes back as ${status} without an error`, {
        sent: sent.status,
        got: status,
      }),
    ]
  const wrong: Found[] = []
  if (error.class !== sent.class) {
    const isHidden = CREDENTIALS.has(one.scene.id) && error.class === 'server'
    wrong.push(
      found(isHidden ? 'note' : 'fail', 'class', `${sent.status} comes back as ${shown(error)}`, {
        sent: sent.class,
        got: error.class,
      }),
    )
  }
  if (!isOk && !error.isOfWire)
    wrong.push(found('fail', 'body', 'the body is not an error of the wire', { sent: sent.type, got: error.message }))
  if (!isOk && sent.class === 'limit' && error.retryAfter !== sent.retryAfter)
    wrong.push(
      found('fail', 'retry_after', `Retry-After is ${error.retryAfter ?? 'missing'}${otherName(native)}`, {
        sent: sent.retryAfter,
        got: error.retryAfter,
      }),
    )
  if (sent.isContextLength && !error.isContextLength)
    wrong.push(
      found('fail', 'message', 'clients cannot tell that the prompt was too long', {
        sent: sent.message,
        got: error.message,
      }),
    )
  if (isOk)
    wrong.push(
      found(
        'warn',
        'status',
        `${sent.status} comes back as ${status} with an error ${stream === null ? 'in it' : 'event'}`,
        {
          sent: sent.status,
          got: status,
        },
      ),
    )
  else if (status !== sent.status)
    wrong.push(
      found(standsFor(sent.status, status) ? 'note' : 'warn', 'status', `${sent.status} comes back as ${status}`, {
        sent: sent.status,
        got: status,
      }),
    )
  if (!isOk && error.isOfWire && !isTypeOf(error, facts.pair.client.id))
    wrong.push(found('warn', 'type', `${status} has the type ${error.type}`, { sent: sent.type, got: error.type }))
  return wrong
}

const shown = ({ status, type, class: of }: WireError): string =>
  status < 400 ? `an error of the ${of} (${type})` : String(status)

/** Gateways were seen to put a name in front of the field. */
function otherName({ fields }: ReadAnswer['native']): string {
  const other = fields.find(([name]) => /.retry-after$/i.test(name))
  return other === undefined ? '' : `; ${other[0]} is ${other[1]}`
}
