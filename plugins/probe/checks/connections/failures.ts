/** What a gateway does when the upstream fails: repeats, timeouts, error pages, ejection. */
import { defineCheck, note, pass, skip, warn, worst, type Facts, type Verdict } from '../../catalog/check.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import {
  answers,
  bytes,
  dateField,
  DEFAULT_FIELDS,
  each,
  END,
  probeBody,
  RECEIVE,
  RESET,
  rfc,
  script,
  wait,
  type Action,
} from '../builders.ts'

const METHODS = ['GET', 'PUT', 'DELETE', 'POST', 'PATCH', 'POST with a key'] as const
const FAILURES: Record<string, () => Action[]> = {
  reset: () => [RECEIVE, RESET],
  closed: () => [RECEIVE, END],
  '500': () => answers({ status: 500, reason: 'Internal Server Error', body: 'probe' }),
  '502': () => answers({ status: 502, reason: 'Bad Gateway', body: 'probe' }),
  '503': () => answers({ status: 503, reason: 'Service Unavailable', body: 'probe' }),
  '504': () => answers({ status: 504, reason: 'Gateway Timeout', body: 'probe' }),
  '429': () =>
    answers({
      status: 429,
      reason: 'Too Many Requests',
      fields: [dateField(), ...DEFAULT_FIELDS, ['Retry-After', '1']],
      body: 'probe',
    }),
}
const RETRY_AFTER: [string, string][] = [
  ['503', 'Service Unavailable'],
  ['429', 'Too Many Requests'],
]
const STACK_TRACES = ['\n    at ', '\n\tat ', 'Traceback (most recent', '\ngoroutine ']
/** Fractions of `--timeout`. */
const TIMEOUT_SHARE = 1.5
/** A common limit of gateways is a minute. */
const SLOW_MS = 65_000
const LEAVE_MS = 5_000

/** How long the client waits for a gateway that gives up. */
function patience({ timeoutMs, isSlow }: Facts): number {
  return Math.max(timeoutMs * TIMEOUT_SHARE, isSlow ? SLOW_MS : 0)
}

function request(method: string, more: RequestSpec): RequestSpec {
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const fields: Field[] = method === 'POST with a key' ? [['Idempotency-Key', '"probe-1"']] : []
  return { method: method.split(' ', 1)[0]!, fields, ...(hasBody ? { body: 'probe' } : {}), isValid: false, ...more }
}

export const FAILURE_CHECKS = [
  defineCheck({
    id: 'CON-STALE',
    title: 'Closed while idle',
    group: 'connections',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9112, '9.3.1'),
    when: { alone: true, breaks: true, counts: true, judgesRefusal: true },
    page: {
      sent: 'A GET, then on the same connection one whose connection the upstream closes when it reads the head; the same with POST.',
      expected: 'POST is not sent again.',
      why: 'A POST that is sent twice orders twice.',
    },
    plan: () => ({
      inOrder: true,
      connections: ['GET', 'POST'].map(method => ({
        requests: [
          { label: `warm ${method}` },
          request(method, { label: method, script: () => [END], next: step => answers({ body: probeBody(step) }) }),
        ],
      })),
    }),
    judge(evidence) {
      const isReused = (method: string): boolean => {
        const warm = evidence.call(`warm ${method}`).arrival?.record.connection
        return warm !== undefined && warm === evidence.call(method).arrival?.record.connection
      }
      if (!isReused('GET') && !isReused('POST')) return skip('no connection to the upstream is reused')
      const post = evidence.call('POST')
      const values = { GET: evidence.call('GET').count, POST: post.count }
      if (post.count > 1) return warn('repeated a POST', values)
      const get = evidence.call('GET')
      return isReused('GET') && get.count === 1 && (get.status ?? 0) >= 500
        ? note(`a GET on a reused connection that was closed is answered with ${get.status}`, values)
        : pass('', values)
    },
  }),
  defineCheck({
    id: 'CON-RETRY',
    title: 'Repeats',
    group: 'connections',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '9.2.2'),
    when: { alone: true, breaks: true, counts: true, judgesRefusal: true },
    page: {
      sent: 'GET, PUT, DELETE, POST, PATCH and POST with Idempotency-Key, answered with a reset, a close, 500, 502, 503, 504 and 429.',
      expected: 'POST and PATCH arrive once.',
      why: 'A repeated POST orders, pays or writes twice.',
    },
    plan: () => ({
      inOrder: true,
      connections: Object.entries(FAILURES).flatMap(([failure, make]) =>
        METHODS.map(method => ({
          requests: [request(method, { label: `${method} ${failure}`, script: make, timeoutMs: 6_000 })],
        })),
      ),
    }),
    judge(evidence) {
      const arrivals = Object.fromEntries(evidence.calls.map(({ label, count }) => [label, count]))
      const repeated = evidence.calls.filter(({ count }) => count > 1)
      const unsafe = repeated.filter(({ label }) => /^(?:POST|PATCH) \S+$/.test(label))
      if (unsafe.length > 0)
        return warn(`repeated: ${unsafe.map(({ label, count }) => `${label} (${count} times)`).join(', ')}`, {
          arrivals,
        })
      return repeated.length > 0
        ? note(`repeated: ${repeated.map(({ label, count }) => `${label} (${count} times)`).join(', ')}`, { arrivals })
        : pass('', { arrivals })
    },
  }),
  defineCheck({
    id: 'CON-RETRY-AFTER',
    title: 'Retry-After',
    group: 'connections',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '10.2.3'),
    when: { alone: true, breaks: true },
    page: {
      sent: 'GET requests that are answered with 503 and 429, each with Retry-After: 7.',
      expected: 'Status and field come back.',
      why: 'Clients that do not know when to return do so at once.',
    },
    plan: () =>
      each(
        RETRY_AFTER.map(([status, reason]) => ({
          label: status,
          script: script(step => ({
            status: Number(status),
            reason,
            fields: [dateField(), ...DEFAULT_FIELDS, ['Retry-After', '7']],
            body: probeBody(step),
          })),
        })),
      ),
    judge(evidence) {
      const wrong = evidence.calls.filter(
        call => call.status !== Number(call.label) || call.values('retry-after').join() !== '7',
      )
      return wrong.length === 0
        ? pass()
        : warn(
            wrong
              .map(
                call =>
                  `${call.label} came back as ${call.status ?? 'nothing'} with Retry-After ${call.values('retry-after').join() || 'missing'}`,
              )
              .join(', '),
          )
    },
  }),
  defineCheck({
    id: 'CON-TIMEOUT',
    title: 'Timeout towards the upstream',
    group: 'connections',
    since: '2026.1',
    level: 'timing',
    sources: rfc(9110, '15.6.5'),
    when: { alone: true, breaks: true, judgesRefusal: true },
    page: {
      sent: 'A GET that is not answered, and one of whose answer one byte comes; the client waits 15 s (with --slow 65 s).',
      expected: 'When the gateway gives up, and with which status, is reported. It leaves the upstream then.',
      why: 'Without a limit, requests pile up; with a short one, slow answers are lost.',
    },
    plan: facts => {
      const waitMs = patience(facts)
      return each(
        [
          { label: 'no head', script: () => [RECEIVE, wait(waitMs + LEAVE_MS), END] },
          { label: 'one byte', script: () => [RECEIVE, bytes('H'), wait(waitMs + LEAVE_MS), END] },
        ].map(spec => ({ ...spec, timeoutMs: waitMs, silenceMs: waitMs, isValid: false })),
        { stayMs: LEAVE_MS },
      )
    },
    judge(evidence, facts) {
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        const { status, label } = call
        const endedMs = call.response?.endAtMs ?? call.exchange.endedMs ?? 0
        const after = Math.round((endedMs - call.record.sentAtMs) / 100) / 10
        const record = call.arrival?.record
        const hasLeft = record === undefined || (record.ended_ms !== null && record.ended_ms < endedMs + LEAVE_MS)
        if (status === null && call.exchange.ended === null)
          found.push(note(`${label}: nothing within ${patience(facts) / 1000} s`))
        else if (status === null) found.push(note(`${label}: closed after ${after} s`))
        else if (![504, 502, 503, 408].includes(status))
          found.push(warn(`${label}: answers ${status} after ${after} s`))
        else if (!hasLeft) found.push(warn(`${label}: answers ${status} after ${after} s, but keeps the upstream busy`))
        else found.push(note(`${label}: answers ${status} after ${after} s`))
      }
      return worst(found)
    },
  }),
  defineCheck({
    id: 'CON-ERROR',
    title: 'Error pages of the gateway',
    group: 'connections',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '15.6.3'),
    when: { alone: true, breaks: true, judgesRefusal: true },
    page: {
      sent: 'GET requests with Accept json and html; the upstream closes without an answer.',
      expected: '502, 503 or 504, without names of the upstream.',
      why: 'Addresses and stack traces help attackers.',
    },
    plan: () =>
      each([
        { label: 'json', fields: [['Accept', 'application/json']], isValid: false, script: () => [RECEIVE, END] },
        { label: 'html', fields: [['Accept', 'text/html']], isValid: false, script: () => [RECEIVE, END] },
      ]),
    judge(evidence, { upstreamOrigins }) {
      const found: Verdict[] = []
      const forms: string[] = []
      for (const call of evidence.calls) {
        const { status, label } = call
        if (status === null || ![502, 503, 504].includes(status))
          found.push(warn(`${label}: ${status ?? 'closed without a status'}`))
        const text = `${call.response?.head.toString('latin1') ?? ''}${call.bodyText}`
        const names = upstreamOrigins.map(origin => origin.slice('http://'.length))
        const isPrivate = /\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}\b/.test(text)
        if (names.some(name => text.includes(name)))
          found.push(warn(`${label}: the address of the upstream is in the answer`))
        else if (isPrivate) found.push(warn(`${label}: a private address is in the answer`))
        else if (STACK_TRACES.some(part => text.includes(part)))
          found.push(warn(`${label}: a stack trace is in the answer`))
        forms.push(`${label} → ${call.values('content-type').join() || 'no type'}`)
      }
      return found.length === 0 ? note(forms.join(', ')) : worst(found)
    },
  }),
  defineCheck({
    id: 'CON-EJECT',
    title: 'Ejection of the upstream',
    group: 'connections',
    since: '2026.1',
    level: 'timing',
    sources: [],
    when: { alone: true, breaks: true, judgesRefusal: true },
    page: {
      sent: 'Six GET that are answered with 503, then good ones for 15 s.',
      expected: 'Whether the gateway stops asking the upstream is reported.',
      why: 'A few errors of one user take the upstream away from all.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        ...Array.from({ length: 6 }, (_, index) => ({
          requests: [
            {
              label: `bad ${index}`,
              isValid: false,
              script: script((step: number) => ({ status: 503, reason: 'Service Unavailable', body: probeBody(step) })),
            },
          ],
        })),
        ...Array.from({ length: 15 }, (_, index) => ({
          delayMs: 1_000,
          requests: [{ label: `good ${index}`, isValid: false }],
        })),
      ],
    }),
    judge(evidence) {
      const out = evidence.calls.filter(({ count }) => count === 0)
      if (out.length === 0) return note('none')
      const good = out.filter(({ label }) => label.startsWith('good')).length
      return note(
        `out after ${evidence.calls.indexOf(out[0]!)} errors for ${good} s or more; answers ${[...new Set(out.map(({ status }) => status ?? 'closed'))].join(', ')}`,
        {
          out_s: good,
        },
      )
    },
  }),
]
