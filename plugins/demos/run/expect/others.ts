/** The expectations `capture`, `tokens`, `cost`, `services` and `telemetry`. */
import { isRecord } from 'svc/toolkit'
import { MAX_CAPTURED } from '../../file/bounds.ts'
import type { CaptureTest, CostTest, TokensTest, VerifiedTest } from '../../file/demo.ts'
import type { RunContext } from '../context.ts'
import { refusalText } from '../control.ts'
import { fieldValues, valuesOf, type SentRequest } from '../sent.ts'
import type { Outcome, StepEvidence } from './result.ts'
import { createChecker } from './tests.ts'
import { counted as numbered, testWords } from './words.ts'

export function judgeCapture({ values }: CaptureTest, { sent, capture }: StepEvidence): Outcome {
  const last = sent.at(-1)
  const lost: string[] = []
  for (const [name, place] of Object.entries(values)) {
    const found = last === undefined ? undefined : capturedFrom(last, place)
    if (found === undefined) lost.push(place)
    else capture(name, found.slice(0, MAX_CAPTURED))
  }
  return {
    verdict: lost.length === 0 ? 'seen' : 'not-seen',
    expected: `the answer has ${Object.values(values).join(', ')}`,
    got: lost.length === 0 ? 'it has' : `it lacks ${lost.join(', ')}`,
  }
}

function capturedFrom(sent: SentRequest, place: string): string | undefined {
  if (place === 'body') return sent.body
  const [kind = '', rest = ''] = [place.slice(0, place.indexOf(':')), place.slice(place.indexOf(':') + 1)]
  if (kind === 'sse') return sent.events[Number(rest.split(':')[0]) - 1]?.data
  const [value] = valuesOf(sent, kind === 'json' ? `json${rest}` : `header.${rest}`)
  return value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)
}

/** What the ledger of the upstream has for a run. */
export interface Ledger {
  tokens: number
  /** In dollars; null: it has no price for something. */
  cost: number | null
}

/** Null: it has no ledger. */
export async function ledgerOf({ control, id }: RunContext): Promise<Ledger | null> {
  const { status, body } = await control.ask('GET', `/ai/usage?session=${id}&group=none`)
  if (status !== 200 || !isRecord(body) || !isRecord(body.totals)) return null
  const { total_tokens: tokens, cost } = body.totals
  return { tokens: Number(tokens ?? 0), cost: typeof cost === 'number' ? cost : null }
}

const NO_LEDGER = 'the upstream has no ledger: is the plugin llm off?'
const NO_PRICES = 'the upstream has no prices: give it llm.prices in svc.yaml'
/** Of what is the same: gateways round. */
const TOLERANCE = 0.01
const LEAST_DOLLARS = 1e-6

export async function judgeTokens({ counted, upstream, equal }: TokensTest, evidence: StepEvidence): Promise<Outcome> {
  const said = evidence.sent.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)
  const after = await ledgerOf(evidence.context)
  const expected = expectedWords('tokens', { counted, upstream, equal })
  if (after === null) return { verdict: 'not-judged', expected, got: NO_LEDGER }
  const ledger = after.tokens - (evidence.ledgerBefore?.tokens ?? 0)
  const isSeen = holds({ counted, upstream }, said, ledger) && (!equal || said === ledger)
  return {
    verdict: isSeen ? 'seen' : 'not-seen',
    expected,
    got: `${said} tokens in the answers, ${ledger} in the ledger`,
  }
}

export async function judgeCost(test: CostTest, evidence: StepEvidence): Promise<Outcome> {
  const { counted, upstream, equal, header } = test
  const expected = expectedWords('dollars', { counted, upstream, equal })
  const stated = header === null ? [] : evidence.sent.map(({ answerFields }) => dollarsIn(answerFields, header))
  const without = stated.filter(dollars => dollars === null).length
  if (without > 0)
    return {
      verdict: 'not-seen',
      expected,
      got: `${numbered(without, 'answer')} without a number in the header ${header}`,
    }
  const after = await ledgerOf(evidence.context)
  if (after === null) return { verdict: 'not-judged', expected, got: NO_LEDGER }
  if (after.cost === null) return { verdict: 'not-judged', expected, got: NO_PRICES }
  const said = stated.reduce<number>((sum, dollars) => sum + dollars!, 0)
  const ledger = after.cost - (evidence.ledgerBefore?.cost ?? 0)
  const isSame = Math.abs(said - ledger) <= Math.max(LEAST_DOLLARS, TOLERANCE * ledger)
  const isSeen = holds({ counted, upstream }, said, ledger) && (!equal || isSame)
  const inAnswers = header === null ? '' : `$${shownDollars(said)} in the header ${header}, `
  return { verdict: isSeen ? 'seen' : 'not-seen', expected, got: `${inAnswers}$${shownDollars(ledger)} in the ledger` }
}

type LedgerTests = Pick<TokensTest, 'counted' | 'upstream' | 'equal'>

function expectedWords(unit: string, { counted, upstream, equal }: LedgerTests): string {
  return [
    counted === null ? '' : testWords(`${unit} in the answers`, counted),
    upstream === null ? '' : testWords(`${unit} in the ledger`, upstream),
    equal ? 'both equal' : '',
  ]
    .filter(text => text !== '')
    .join(', ')
}

function holds({ counted, upstream }: Omit<LedgerTests, 'equal'>, said: number, ledger: number): boolean {
  const checker = createChecker()
  return (
    (counted === null || checker.holds('counted', counted, [said])) &&
    (upstream === null || checker.holds('upstream', upstream, [ledger]))
  )
}

function dollarsIn(fields: SentRequest['answerFields'], header: string): number | null {
  const [value] = fieldValues(fields, header)
  const number = Number(value?.trim().replace(/^[$]/, '') || Number.NaN)
  return Number.isFinite(number) ? number : null
}

const shownDollars = (dollars: number): string => String(Number(dollars.toPrecision(6)))

/** As `POST /_svc/verify` counts calls of services, and what reports say. */
export async function judgeVerified({ kind, verification }: VerifiedTest, evidence: StepEvidence): Promise<Outcome> {
  const { context } = evidence
  const body = { within_ms: 2000, ...verification }
  const answer = await context.control.ask('POST', `/_svc/verify?session=${context.id}`, body)
  const { expected, message, count, error } = isRecord(answer.body) ? answer.body : {}
  if (answer.status !== 200 && answer.status !== 409)
    return { verdict: 'not-judged', expected: kind, got: refusalText(answer) }
  return {
    verdict: answer.status === 200 ? 'seen' : 'not-seen',
    expected: `${String(expected ?? '')} ${kind}`.trim(),
    got: String(message ?? `${String(count ?? 0)} found${error === undefined ? '' : `: ${String(error)}`}`),
  }
}
