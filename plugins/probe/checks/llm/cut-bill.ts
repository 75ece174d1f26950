/** Streams that are cut, in the ledger of the gateway. */
import { pointerTokens, valueAt } from 'svc/toolkit'
import type { Json } from 'svc/plugin'
import { fail, pass, skip, type ModelSettings, type PairContext, type Plan } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec, ExchangeRecord } from '../../client/exchange.ts'
import { valuesOf } from '../../client/response-parser.ts'
import { ROOT } from '../../client/step-runner.ts'
import { connectionOf, exchangeOf, replyStep, type ModelCall } from '../../pairs/model-calls.ts'
import { modelsCheck } from '../../pairs/models-check.ts'
import { eventsIn } from '../../pairs/scene-requests.ts'
import { question } from './model-scenes.ts'

const DELTAS = 100
/** Deltas that come before a stream is cut. */
const CUT_AT = 6
/** About 3 s for the whole stream. */
const PACE = { tokens_per_second: 35, delta_chars: 8 }
const TEXT = Array.from({ length: DELTAS }, (_, index) => `word ${String(index).padStart(2, '0')} `).join('')
/** A bill that is higher, as a share of that of the whole stream, is one for the whole stream. */
const MOST = 0.9
const LEAVE_MS = 8_000
const WATCH_MS = 3_000

const KINDS = ['whole', 'left by the client', 'cut by the upstream'] as const
type Kind = (typeof KINDS)[number]
const ledgerLabel = (kind: Kind): string => `ledger: ${kind}`

function billedCall(context: PairContext, kind: Kind): ModelCall {
  const broken = kind === 'cut by the upstream' ? { break: `disconnect@${CUT_AT}` } : {}
  return {
    label: kind,
    context,
    request: question('Count the words.'),
    mode: 'stream',
    step: replyStep({ text: TEXT, stream: { ...PACE, ...broken } }),
    more: { isValid: false },
  }
}

function streamOf(context: PairContext, kind: Kind): ConnectionSpec {
  const isLeft = kind === 'left by the client'
  return connectionOf(
    billedCall(context, kind),
    isLeft
      ? { leaveAfterMs: LEAVE_MS, leaveWhen: received => eventsIn(received) >= CUT_AT, untilEndedMs: WATCH_MS }
      : {},
  )
}

type Spend = NonNullable<ModelSettings['spend']>

/** Asks the ledger for the entry of a stream; null without its id. */
function ledgerRequest(
  kind: Kind,
  record: ExchangeRecord | undefined,
  { url, id, waitMs }: Spend & { waitMs: number },
): ConnectionSpec | null {
  const [value] = valuesOf(record?.calls[0]?.response?.fields ?? [], id.toLowerCase())
  if (value === undefined) return null
  return {
    route: ROOT,
    delayMs: waitMs,
    requests: [
      {
        label: ledgerLabel(kind),
        path: url.replaceAll('{id}', () => encodeURIComponent(value)),
        fields: [['Accept', 'application/json']],
        noMarker: true,
        isValid: false,
      },
    ],
  }
}

function planOf(context: PairContext, spend: Spend): Plan {
  return {
    inOrder: true,
    connections: KINDS.map(kind => streamOf(context, kind)),
    follow(records) {
      const asked = new Set(records.flatMap(({ calls }) => calls.map(({ spec }) => spec.label)))
      const wanted = KINDS.filter(kind => !asked.has(ledgerLabel(kind)))
      for (const kind of wanted) {
        // The other streams have waited long enough once the first one has.
        const waitMs = wanted.length === KINDS.length ? spend.waitS * 1_000 : 0
        const next = ledgerRequest(kind, records[KINDS.indexOf(kind)], { ...spend, waitMs })
        if (next !== null) return next
      }
      return null
    },
  }
}

/** What the ledger says; null without an entry. */
function billedFor(evidence: Evidence, kind: Kind, { value }: Spend): number | null {
  const call = evidence.calls.find(({ label }) => label === ledgerLabel(kind))
  if (call?.response == null || call.status !== 200) return null
  try {
    const json = JSON.parse(call.response.body.toString('utf8')) as Json
    const found = valueAt(json, pointerTokens(value) ?? [])
    const billed = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
    return typeof billed === 'number' && Number.isFinite(billed) ? billed : null
  } catch {
    return null
  }
}

export const LLM_CUT_BILL = modelsCheck({
  id: 'LLM-CUT-BILL',
  title: 'A cut stream is billed for what it had',
  group: 'llm',
  level: 'integrity',
  when: { alone: true, noDirect: true },
  reasonWithout: ({ settings: { spend } }) => (spend === null ? 'not in --routes: llm.spend' : null),
  page: {
    sent: `A stream of ${DELTAS} deltas; the same, which the client leaves after ${CUT_AT}; and the same, which the upstream cuts after ${CUT_AT}. Then the entry of each is read from the ledger of the gateway.`,
    expected: 'The streams that were cut cost something, and less than nine tenths of the whole one.',
    why: 'Vendors charge for the tokens that they made; a budget that does not count them can be exceeded by leaving early.',
    seen: ['BerriAI/litellm#36008'],
  },
  plan: ({ clients: [context], settings: { spend } }) => planOf(context, spend!),
  judge(evidence, { clients: [context], settings }) {
    const spend = settings.spend!
    const arrives = (kind: Kind): boolean =>
      exchangeOf(evidence, { label: kind, context, mode: 'stream' }).arrivals.length > 0
    if (!arrives('whole')) return skip(`not routed: ${evidence.first.status ?? 'closed'}`)
    if (evidence.call('whole').values(spend.id.toLowerCase()).length === 0) return skip(`no id in ${spend.id}`)
    const whole = billedFor(evidence, 'whole', spend)
    if (whole === null || whole <= 0)
      return skip(`${whole === null ? 'no entry' : 'nothing billed'} for a whole stream after ${spend.waitS} s`)
    const cut = KINDS.slice(1)
      .filter(arrives)
      .map(kind => ({ kind, billed: billedFor(evidence, kind, spend) }))
    const values = { whole, cut }
    const wrong = cut.flatMap(({ kind, billed }): string[] => {
      if (billed === null) return []
      if (billed <= 0) return [`${kind}: billed nothing`]
      return billed > MOST * whole ? [`${kind}: billed ${billed} of ${whole} for the whole one`] : []
    })
    if (wrong.length > 0) return fail(wrong.join('; '), values)
    const missing = cut.filter(({ billed }) => billed === null).map(({ kind }) => kind)
    return missing.length > 0 ? skip(`no entry after ${spend.waitS} s: ${missing.join(', ')}`) : pass('', values)
  },
})
