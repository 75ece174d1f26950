/** The group `report`: gateways that report to svc what they did. */
import { defineCheck, fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec } from '../../client/exchange.ts'
import { traceIdIn, type ReportedRequest } from '../../client/reports.ts'
import type { RequestSpec } from '../../client/request.ts'
import { answers, RECEIVE, RESET, script } from '../builders.ts'

const NOTHING = 'nothing is reported to svc about the path of the probe'
const WHEN = { noDirect: true, judgesRefusal: true } as const

const request = (label: string, more: RequestSpec = {}): ConnectionSpec => ({
  requests: [{ label, isValid: false, ...more }],
})

const reportsOf = (evidence: Evidence, { record }: Call): ReportedRequest[] =>
  evidence.reports.filter(({ step }) => step === record.step)

/** A gateway also reports its own requests, as spans of the kind `client`. */
const ofRequest = ({ kind, spanKind }: ReportedRequest): boolean => kind === 'log' || spanKind === 'server'

/** Names of the formats of log records, and `spans`, each with its reports. */
function bySource(reports: readonly ReportedRequest[]): Map<string, ReportedRequest[]> {
  const found = new Map<string, ReportedRequest[]>()
  for (const report of reports) {
    const name = `${report.kind}s of ${report.source}`
    found.set(name, [...(found.get(name) ?? []), report])
  }
  return found
}

const STATUSES: readonly [label: string, status: number, reason: string][] = [
  ['200', 200, 'OK'],
  ['404', 404, 'Not Found'],
  ['500', 500, 'Internal Server Error'],
]

const answered = (): ConnectionSpec[] =>
  STATUSES.map(([label, status, reason]) =>
    request(label, { script: script(() => ({ status, reason, body: 'probe' })) }),
  )

const RPT_ONCE = defineCheck({
  id: 'RPT-ONCE',
  title: 'Each request is reported once',
  group: 'report',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: WHEN,
  page: {
    sent: 'Requests that are answered with 200, 404 and 500, and a POST.',
    expected: 'One report about each in every format in which the gateway reports.',
    why: 'What is missing cannot be found, and what is reported twice is counted twice.',
  },
  plan: () => ({
    readsReports: true,
    inOrder: true,
    connections: [...answered(), request('POST', { method: 'POST', body: 'probe' })],
  }),
  judge(evidence) {
    const calls = evidence.calls.filter(({ status }) => status !== null)
    const all = calls.flatMap(call => reportsOf(evidence, call).filter(ofRequest))
    if (all.length === 0) return skip(NOTHING)
    const wrong = [...bySource(all)].flatMap(([source, reports]) =>
      calls.flatMap(call => {
        const count = reports.filter(({ step }) => step === call.record.step).length
        return count === 1 ? [] : [`the request ${call.label} is in ${count} ${source}`]
      }),
    )
    return wrong.length === 0 ? pass('', { sources: [...bySource(all).keys()] }) : warn(wrong.join('; '), { wrong })
  },
})

const RPT_STATUS = defineCheck({
  id: 'RPT-STATUS',
  title: 'Reported statuses are those of the client',
  group: 'report',
  since: '2026.2',
  level: 'integrity',
  sources: [],
  when: WHEN,
  page: {
    sent: 'Requests that are answered with 200, 404 and 500.',
    expected: 'Their reports have the status that the client got.',
    why: 'Alerts and invoices rely on it.',
  },
  plan: () => ({ readsReports: true, inOrder: true, connections: answered() }),
  judge(evidence) {
    const reported = evidence.calls.flatMap(call =>
      reportsOf(evidence, call)
        .filter(report => ofRequest(report) && report.status !== null)
        .map(report => ({ call, report })),
    )
    if (reported.length === 0) return skip(evidence.reports.length === 0 ? NOTHING : 'no report has a status')
    const wrong = reported
      .filter(({ call, report }) => report.status !== call.status)
      .map(
        ({ call, report }) => `${report.kind} of ${report.source} says ${report.status}, the client got ${call.status}`,
      )
    return wrong.length === 0 ? pass('', { reports: reported.length }) : fail([...new Set(wrong)].join('; '), { wrong })
  },
})

/** The ids are made of the label only: plans are pure. */
const TRACE = 'aaaabbbbccccddddeeeeffff0000'
const IDENTIFIED = ['first', 'second'].map((label, index) => ({
  label,
  traceId: `${TRACE}${String(index + 1).padStart(4, '0')}`,
}))

const RPT_IDS = defineCheck({
  id: 'RPT-IDS',
  title: 'Reports have the ids of the request',
  group: 'report',
  since: '2026.2',
  level: 'integrity',
  impact: 'medium',
  sources: [],
  when: WHEN,
  page: {
    sent: 'Two requests, each with X-Request-Id and traceparent.',
    expected: 'Their reports have the request id, and the trace id, with which they arrived.',
    why: 'Only by these can what happened be put together.',
  },
  plan: () => ({
    readsReports: true,
    inOrder: true,
    connections: IDENTIFIED.map(({ label, traceId }) =>
      request(label, {
        fields: [
          ['X-Request-Id', `probe-${label}-${traceId.slice(-4)}`],
          ['traceparent', `00-${traceId}-00f067aa0ba902b7-01`],
        ],
      }),
    ),
  }),
  judge(evidence) {
    const compared = evidence.calls.flatMap(call => {
      const arrival = call.arrival
      if (arrival === null) return []
      const ids = { requestId: arrival.values('x-request-id'), traceId: arrival.values('traceparent').map(traceIdIn) }
      return reportsOf(evidence, call)
        .filter(ofRequest)
        .map(report => ({ report, ids }))
    })
    if (compared.length === 0) return skip(NOTHING)
    const wrong = compared.flatMap(({ report, ids }) =>
      (['requestId', 'traceId'] as const).flatMap(name => {
        const reported = report[name]
        if (reported === null || ids[name].length === 0 || ids[name].includes(reported)) return []
        const what = name === 'requestId' ? 'request' : 'trace'
        return [`${report.kind} of ${report.source} has the ${what} id ${reported}, ${ids[name].join()} arrived`]
      }),
    )
    if (wrong.length > 0) return fail(wrong.join('; '), { wrong })
    const has = (name: 'requestId' | 'traceId'): boolean => compared.some(({ report }) => report[name] !== null)
    const values = { request_id: has('requestId'), trace_id: has('traceId') }
    return has('requestId') || has('traceId') ? pass('', values) : warn('reports have no id of the request', values)
  },
})

const RPT_ATTEMPTS = defineCheck({
  id: 'RPT-ATTEMPTS',
  title: 'Repeats are reported',
  group: 'report',
  since: '2026.2',
  level: 'hazard',
  sources: [],
  when: { ...WHEN, breaks: true, alone: true, counts: true },
  page: {
    sent: 'A GET that the upstream resets, and one that it answers with 503, the first time each.',
    expected: 'If the gateway sends it again, its report says how often it did.',
    why: 'Repeats that no report shows hide that an upstream fails.',
  },
  plan: () => ({
    readsReports: true,
    inOrder: true,
    connections: [
      request('reset', { script: () => [RECEIVE, RESET], next: () => answers({ body: 'probe' }) }),
      request('503', {
        script: () => answers({ status: 503, reason: 'Service Unavailable', body: 'probe' }),
        next: () => answers({ body: 'probe' }),
      }),
    ],
  }),
  judge(evidence) {
    if (evidence.reports.length === 0) return skip(NOTHING)
    const repeated = evidence.calls.filter(({ count }) => count > 1)
    if (repeated.length === 0) return skip('the gateway does not send a request again')
    const reported = repeated.map(call => {
      const reports = reportsOf(evidence, call)
      const logs = reports.filter(({ attempts }) => attempts !== null).map(({ attempts }) => attempts!)
      // One span for each request to an upstream.
      const spans = reports.filter(({ spanKind }) => spanKind === 'client').length
      return { label: call.label, arrivals: call.count, attempts: logs.length > 0 ? logs : spans > 0 ? [spans] : [] }
    })
    const wrong = reported.filter(({ attempts, arrivals }) => attempts.some(count => count !== arrivals))
    if (wrong.length > 0) {
      const texts = wrong.map(one => `${one.label}: ${one.attempts.join()} reported, ${one.arrivals} arrived`)
      return warn(texts.join('; '), { reported })
    }
    return reported.some(({ attempts }) => attempts.length > 0)
      ? pass('', { reported })
      : note('repeats are not reported', { reported })
  },
})

/** Values that no report may have, by field. */
const SECRETS: readonly (readonly [field: string, sent: string, secret: string])[] = [
  ['Authorization', 'Bearer probe-secret-token-4711', 'probe-secret-token-4711'],
  ['X-Api-Key', 'probe-secret-key-4712', 'probe-secret-key-4712'],
  ['Cookie', 'session=probe-secret-session-4713', 'probe-secret-session-4713'],
]
const QUERY_SECRET = 'probe-secret-query-4714'

const RPT_SECRET = defineCheck({
  id: 'RPT-SECRET',
  title: 'Reports have no credentials',
  group: 'report',
  since: '2026.2',
  level: 'hazard',
  impact: 'high',
  sources: [],
  when: WHEN,
  page: {
    sent: 'A request with credentials in Authorization, X-Api-Key, Cookie, and `access_token` of the query.',
    expected: 'No report has one of them. That of the query is a note.',
    why: 'More people read logs than may know credentials.',
  },
  plan: ({ hasCredentials }) => ({
    readsReports: true,
    connections: [
      request('with credentials', {
        rest: `?access_token=${QUERY_SECRET}`,
        fields: SECRETS.filter(([field]) => !hasCredentials || field !== 'Authorization').map(([field, sent]) => [
          field,
          sent,
        ]),
      }),
    ],
  }),
  judge(evidence) {
    if (evidence.reports.length === 0) return skip(NOTHING)
    const has = (secret: string): boolean => evidence.reports.some(({ text }) => text.includes(secret))
    const found = SECRETS.filter(([, , secret]) => has(secret)).map(([field]) => field)
    if (found.length > 0) return warn(`reported: ${found.join(', ')}`, { found })
    return has(QUERY_SECRET) ? note('the query is reported with access_token') : pass()
  },
})

export const REPORT_CHECKS: readonly Check[] = [RPT_ONCE, RPT_STATUS, RPT_IDS, RPT_ATTEMPTS, RPT_SECRET]
