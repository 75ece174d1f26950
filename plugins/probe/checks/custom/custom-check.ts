/** Makes a check of the catalog of one that another plugin has written. */
import { STATUS_CODES } from 'node:http'
import { isRecord } from 'svc/toolkit'
import type { Check, Facts, Plan, Verdict } from '../../catalog/check.ts'
import { CATALOGUE } from '../../catalog/version.ts'
import type { ArrivalView, Call, Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec } from '../../client/exchange.ts'
import type { RequestSpec } from '../../client/request.ts'
import { valuesOf } from '../../client/response-parser.ts'
import type { ArrivedRequest, CheckStep, CustomCheck, ReceivedAnswer, StepAnswer, StepRecord } from '../../types.ts'
import {
  answerBytes,
  bytes,
  chunk,
  content,
  dateField,
  DEFAULT_FIELDS,
  headBytes,
  probeBody,
  RECEIVE,
  wait,
  type Action,
} from '../builders.ts'

const MAX_SUMMARY = 500
const MAX_VALUES = 16 * 1024
const WORDS: readonly unknown[] = ['pass', 'fail', 'warn', 'note', 'skip']

export function checkOf(custom: CustomCheck): Check {
  const { id, title, group, level, impact, sources = [], protocols, page, judgesRefusal } = custom
  return {
    id,
    title,
    group,
    since: CATALOGUE,
    level,
    ...(impact === undefined ? {} : { impact }),
    sources,
    ...(protocols === undefined ? {} : { protocols }),
    when: {
      alone: custom.isAlone === true,
      breaks: custom.breaksUpstream === true,
      judgesRefusal: judgesRefusal === true,
      counts: true,
    },
    page,
    plan: () => planOf(custom.steps),
    judge: (evidence, facts) => verdictOf(custom, evidence, facts),
  }
}

function planOf(steps: readonly CheckStep[]): Plan {
  const connections: ConnectionSpec[] = []
  for (const step of steps) {
    const request = requestOf(step)
    if (step.sameConnection === true) connections.at(-1)!.requests.push(request)
    else connections.push({ requests: [request] })
  }
  return { connections, inOrder: true }
}

function requestOf({ name, method = 'GET', rest, path, fields, body, isChunked, answer = {} }: CheckStep): RequestSpec {
  return {
    label: name,
    method,
    ...(rest === undefined ? {} : { rest }),
    ...(path === undefined ? {} : { path }),
    ...(fields === undefined ? {} : { fields }),
    ...(body === undefined ? {} : { body: Buffer.from(body as string) }),
    framing: isChunked === true ? 'chunked' : 'length',
    ...(answer.parts === undefined ? {} : { http11: true }),
    script: step => actionsOf(answer, step),
  }
}

function actionsOf(answer: StepAnswer, step: number): Action[] {
  const { status = 200, parts, delayMs = 0, then = 'keep' } = answer
  const reason = STATUS_CODES[status] ?? ''
  const fields = [dateField(), ...(answer.fields ?? DEFAULT_FIELDS)]
  const before: Action[] = [RECEIVE, ...(delayMs > 0 ? [wait(delayMs)] : [])]
  if (status === 204 || status === 304)
    return [...before, bytes(answerBytes({ status, reason, fields, framing: 'none' })), { do: then }]
  if (parts === undefined) {
    const text = Buffer.from((answer.body ?? probeBody(step)) as string).toString('latin1')
    const head = headBytes([...fields, ['Content-Length', String(text.length)]], `${status} ${reason}`)
    return [...before, bytes(head), content(text), { do: then }]
  }
  const head = bytes(headBytes([...fields, ['Transfer-Encoding', 'chunked']], `${status} ${reason}`))
  const written = parts.flatMap(({ text, afterMs = 0 }): Action[] => [
    ...(afterMs > 0 ? [wait(afterMs)] : []),
    content(chunk(Buffer.from(text).toString('latin1'))),
  ])
  return [...before, head, ...written, content('0\r\n\r\n'), { do: then }]
}

/** Throws for what is not a verdict. */
function verdictOf({ judge }: CustomCheck, evidence: Evidence, { protocol, gateway, upstreamOrigins }: Facts): Verdict {
  return checkedVerdict(
    judge(evidence.calls.map(recordOf), {
      protocol,
      gateway: { origin: gateway.origin, authority: gateway.authority },
      upstreamOrigins,
    }),
  )
}

/** Throws for what is not a verdict. */
export function checkedVerdict(found: unknown): Verdict {
  if (!isRecord(found) || !WORDS.includes(found.verdict))
    throw new Error(`judge must return a verdict: ${WORDS.join(', ')}`)
  const { verdict, summary = '', values = {} } = found
  if (typeof summary !== 'string') throw new Error('the summary of a verdict must be a text')
  const json = isRecord(values) ? JSON.stringify(values) : undefined
  if (json === undefined || json.length > MAX_VALUES)
    throw new Error(`the values of a verdict must be an object of at most ${MAX_VALUES} characters of JSON`)
  return {
    verdict: verdict as Verdict['verdict'],
    summary: summary.slice(0, MAX_SUMMARY),
    values: JSON.parse(json) as Verdict['values'],
  }
}

function recordOf(call: Call): StepRecord {
  return { name: call.label, arrivals: call.arrivals.map(requestView), answer: answerView(call) }
}

function requestView(arrival: ArrivalView): ArrivedRequest {
  const { record, method, target, rest, fields, content, trailers, isComplete } = arrival
  return {
    protocol: record.protocol,
    method,
    target,
    rest,
    fields,
    field: name => arrival.values(name),
    body: content,
    trailers,
    resetCode: record.reset_code,
    isComplete,
    connection: record.connection,
  }
}

function answerView({ response, status, record }: Call): ReceivedAnswer | null {
  if (response === null || status === null) return null
  return {
    status,
    fields: response.fields,
    field: name => valuesOf(response.fields, name),
    body: response.body,
    trailers: response.trailers,
    interims: response.interims.map(interim => interim.status),
    isComplete: response.isComplete,
    parts: response.parts.map(({ atMs, bytes: part }) => ({ atMs: atMs - record.sentAtMs, bytes: part })),
  }
}
