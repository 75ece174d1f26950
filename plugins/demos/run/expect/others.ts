/** The expectations `capture`, `tokens`, `services` and `telemetry`. */
import { isRecord } from 'svc/toolkit'
import { MAX_CAPTURED } from '../../file/bounds.ts'
import type { CaptureTest, TokensTest, VerifiedTest } from '../../file/demo.ts'
import type { RunContext } from '../context.ts'
import { refusalText } from '../control.ts'
import { valuesOf, type SentRequest } from '../sent.ts'
import type { Outcome, StepEvidence } from './result.ts'
import { createChecker } from './tests.ts'
import { testWords } from './words.ts'

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

/** Tokens that the ledger of the upstream has for the run; null if it has no ledger. */
export async function ledgerTokens({ control, id }: RunContext): Promise<number | null> {
  const { status, body } = await control.ask('GET', `/ai/usage?session=${id}&group=none`)
  if (status !== 200 || !isRecord(body) || !isRecord(body.totals)) return null
  return Number(body.totals.total_tokens ?? 0)
}

export async function judgeTokens({ counted, upstream, equal }: TokensTest, evidence: StepEvidence): Promise<Outcome> {
  const said = evidence.sent.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)
  const after = await ledgerTokens(evidence.context)
  const ledger = after === null ? null : after - (evidence.ledgerBefore ?? 0)
  const checker = createChecker()
  const expected = [
    counted === null ? '' : testWords('tokens in the answers', counted),
    upstream === null ? '' : testWords('tokens in the ledger', upstream),
    equal ? 'both equal' : '',
  ]
  if (ledger === null)
    return {
      verdict: 'not-judged',
      expected: expected.join(', '),
      got: 'the upstream has no ledger: is the plugin llm off?',
    }
  const isSeen =
    (counted === null || checker.holds('counted', counted, [said])) &&
    (upstream === null || checker.holds('upstream', upstream, [ledger])) &&
    (!equal || said === ledger)
  return {
    verdict: isSeen ? 'seen' : 'not-seen',
    expected: expected.filter(text => text !== '').join(', '),
    got: `${said} tokens in the answers, ${ledger} in the ledger`,
  }
}

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
