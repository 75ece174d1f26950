/** QUERY: a method with content that is safe and idempotent. */
import { defineCheck, fail, note, pass, skip, warn } from '../../catalog/check.ts'
import type { ArrivalView, Call } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import { answers, dateField, DEFAULT_FIELDS, END, probeBody, rfc } from '../builders.ts'

const TYPE = 'application/json'
/** 40 bytes. */
const CONTENT = '{"from":"probe","where":{"kind":"word"}}'

function query(label: string, more: Partial<RequestSpec> = {}): RequestSpec {
  return { label, method: 'QUERY', fields: [['Content-Type', TYPE]], body: CONTENT, ...more }
}

/** What is wrong with a QUERY that arrived; null if nothing is. */
function problemOf(arrival: ArrivalView): string | null {
  if (arrival.method !== 'QUERY') return `QUERY arrives as ${arrival.method}`
  if (arrival.content.toString('latin1') !== CONTENT)
    return arrival.content.length === 0 ? 'the content does not arrive' : 'the content arrives changed'
  const type = arrival.values('content-type').join()
  if (type !== TYPE) return type === '' ? 'Content-Type does not arrive' : `Content-Type arrives as ${type}`
  return null
}

const isClientError = ({ status }: Call): boolean =>
  status === 501 || (status !== null && status >= 400 && status < 500)

export const QUERY_CHECK = defineCheck({
  id: 'CON-QUERY',
  title: 'QUERY is forwarded with its content',
  group: 'connections',
  since: '2026.2',
  level: 'integrity',
  sources: rfc(10_008, '2'),
  when: { alone: true, breaks: true, counts: true, judgesRefusal: true },
  page: {
    sent: 'A QUERY with 40 bytes of JSON; one on a connection that the upstream closes when it reads the head; one that is answered with 503 and Retry-After: 1.',
    expected: 'It arrives with its method, its content and its Content-Type. Whether it is repeated is reported.',
    why: 'A search whose content is lost finds everything, or nothing. The method is idempotent, so it may be repeated.',
  },
  plan: () => ({
    inOrder: true,
    connections: [
      { requests: [query('plain')] },
      {
        requests: [
          { label: 'warm' },
          query('stale', { isValid: false, script: () => [END], next: step => answers({ body: probeBody(step) }) }),
        ],
      },
      {
        requests: [
          query('503', {
            isValid: false,
            timeoutMs: 6000,
            script: () =>
              answers({
                status: 503,
                reason: 'Service Unavailable',
                fields: [dateField(), ...DEFAULT_FIELDS, ['Retry-After', '1']],
                body: 'probe',
              }),
          }),
        ],
      },
    ],
  }),
  judge(evidence) {
    const plain = evidence.call('plain')
    if (plain.count === 0)
      return isClientError(plain)
        ? skip(`QUERY is refused: ${plain.status}`)
        : warn(`QUERY does not arrive: ${plain.status ?? 'closed'}`)
    const calls = ['plain', 'stale', '503'].map(label => evidence.call(label))
    const problem = calls.flatMap(({ arrivals }) => arrivals.map(problemOf)).find(found => found !== null)
    if (problem !== undefined) return fail(problem!)
    const values = Object.fromEntries(calls.map(({ label, count }) => [label, count]))
    const repeated = calls.filter(({ count }) => count > 1)
    return repeated.length === 0
      ? pass('', values)
      : note(`repeated: ${repeated.map(({ label, count }) => `${label} (${count} times)`).join(', ')}`, values)
  },
})
