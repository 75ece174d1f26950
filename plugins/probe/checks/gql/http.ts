/** GraphQL over HTTP: media types, statuses, requests without preflight, limits. */
import { fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { Field } from '../../client/response-parser.ts'
import { answerOf, saidBy } from './answers.ts'
import { fetchesOf } from './fetches.ts'
import { graphCheck, type GraphStep } from './graph-check.ts'

const RESPONSE_JSON = 'application/graphql-response+json'
const MUTATION = 'mutation { addReview(productId: "p1", userId: "u1", rating: 5) { id } }'
const QUERY = '{ user(id: "u1") { name } }'
const WRONG = { syntax: '{ user(id: "u1") { ', validation: '{ user(id: "u1") { missing } }' } as const

/** A GET with the document in the query; without a body. */
function getStep(label: string, query: string, accept: string): GraphStep {
  return {
    label,
    query,
    more: {
      method: 'GET',
      path: '',
      rest: `?query=${encodeURIComponent(query)}`,
      fields: [['Accept', accept]],
    },
  }
}

const isMutated = (call: Call): boolean => fetchesOf(call).some(({ query }) => /\bmutation\b/.test(query))

export const GQL_STATUS = graphCheck({
  id: 'GQL-STATUS',
  title: 'Media types and statuses',
  level: 'should',
  when: { counts: true },
  sources: [{ spec: 'GraphQL over HTTP' }],
  page: {
    sent: `A query and documents with errors of syntax and of validation, accepted as \`application/json\` and as \`${RESPONSE_JSON}\`; a mutation by GET.`,
    expected: `The type that was accepted; a status from 400 for documents with errors in \`${RESPONSE_JSON}\`. No mutation by GET.`,
    why: 'Caches and monitoring see a status and no body. Links and images are followed by GET, so it must not change anything.',
  },
  steps: () => [
    ...['application/json', RESPONSE_JSON].flatMap((accept): GraphStep[] => {
      const fields = [['Accept', accept]] as const
      return [
        { label: `query ${accept}`, query: QUERY, fields },
        { label: `syntax ${accept}`, query: WRONG.syntax, fields },
        { label: `validation ${accept}`, query: WRONG.validation, fields },
      ]
    }),
    getStep('mutation by GET', MUTATION, 'application/json'),
  ],
  judge(evidence) {
    if (isMutated(evidence.call('mutation by GET'))) return fail('a mutation by GET is executed')
    const found: string[] = []
    for (const accept of ['application/json', RESPONSE_JSON]) {
      const valid = answerOf(evidence.call(`query ${accept}`))
      if (valid.status !== 200) found.push(`a query has the status ${valid.status ?? 'none'} (${accept})`)
      else if (!valid.type.startsWith(accept)) found.push(`${valid.type || 'no type'} for ${accept}`)
      for (const kind of ['syntax', 'validation'] as const) {
        const { status, isOfGraph } = answerOf(evidence.call(`${kind} ${accept}`))
        if (status === null || status >= 500) found.push(`an error of ${kind} has the status ${status ?? 'none'}`)
        else if (!isOfGraph) found.push(`an error of ${kind} has no answer of GraphQL (${accept})`)
        else if (status < 400 && accept === RESPONSE_JSON && valid.type.startsWith(accept))
          found.push(`an error of ${kind} has the status ${status} (${accept})`)
      }
    }
    return found.length > 0 ? warn(found.join('; ')) : pass()
  },
})

const SIMPLE: { label: string; type: string; body: string }[] = [
  { label: 'form', type: 'application/x-www-form-urlencoded', body: `query=${encodeURIComponent(MUTATION)}` },
  { label: 'text', type: 'text/plain', body: JSON.stringify({ query: MUTATION }) },
]

const simpleFields = (type: string): readonly Field[] => [
  ['Content-Type', type],
  ['Accept', '*/*'],
]

export const GQL_CSRF = graphCheck({
  id: 'GQL-CSRF',
  title: 'Requests that browsers send without asking',
  level: 'hazard',
  impact: 'high',
  when: { counts: true },
  page: {
    sent: 'A mutation as a form and as `text/plain`, and a query by GET, without a header such as `Apollo-Require-Preflight`.',
    expected: 'No mutation. Whether the query is answered is noted.',
    why: 'Browsers send such requests from any page, with the cookies of the user, and without asking the gateway first.',
  },
  steps: () => [
    ...SIMPLE.map(({ label, type, body }) => ({
      label,
      query: MUTATION,
      more: { fields: simpleFields(type), body },
    })),
    getStep('GET', QUERY, '*/*'),
  ],
  judge(evidence) {
    const mutated = SIMPLE.filter(({ label }) => isMutated(evidence.call(label)))
    if (mutated.length > 0) return fail(`a mutation is executed: ${mutated.map(({ type }) => type).join(', ')}`)
    const isAnswered = fetchesOf(evidence.call('GET')).length > 0
    return note(isAnswered ? 'queries by GET are answered' : 'queries by GET are refused', { get: isAnswered })
  },
})

const DEPTH = 200
const ALIASES = 5_000
const BATCH = 100
const MANY = 100_000
const SLOW_MS = 5_000
/** A gateway that is slow is to be judged, not one that gets no processor. */
const ANSWER_MS = 60_000
/**
 * How many times larger the large ones are than the requests that they are compared with: one that takes as many times longer
 * does not amplify, and that both are slow may be the fault of the machine.
 */
const FACTOR = 50
/** What a small query takes at most on a machine that has little else to do. */
const ORDINARY_MS = 50
/**
 * Small queries, before the first and after each of the others, which tell how much else the machine has to do meanwhile. The
 * middle time of each group counts: the gateway may still be busy with the large query when the first of them comes.
 */
const CONTROLS = 3
/** How many times each is sent. The shortest time counts, since the machine may be busy. */
const TRIES = 2
const MAX_ARRIVALS = 100

const LIMITED = [`depth ${DEPTH}`, `${ALIASES} aliases`, `a batch of ${BATCH}`, `limit ${MANY}`] as const
const [DEEP, WIDE, BATCHED, LONG_LIST] = LIMITED

/** Each document is new to the gateway: the second time it would come from a cache. */
function limitedQueries(fresh: string, divisor = 1): Record<(typeof LIMITED)[number], string | object> {
  const levels = DEPTH / divisor / 2
  const nested = `${'orders { buyer { '.repeat(levels)}id${' } }'.repeat(levels)}`
  const aliases = Array.from(
    { length: ALIASES / divisor },
    (_, index) => `${fresh}_${index}: user(id: "u${(index % 5) + 1}") { name }`,
  )
  return {
    [DEEP]: `{ ${fresh}: user(id: "u1") { ${nested} } }`,
    [WIDE]: `{ ${aliases.join(' ')} }`,
    [BATCHED]: Array.from({ length: BATCH / divisor }, (_, index) => ({
      query: `{ ${fresh}_${index}: user(id: "u1") { name } }`,
    })),
    [LONG_LIST]: `{ ${fresh}: products(limit: ${MANY / divisor}) { id stock averageRating } }`,
  }
}

const fractionOf = (name: string): string => `a fiftieth of ${name}`

const triesOf = (label: string): string[] =>
  Array.from({ length: TRIES }, (_, index) => (index === 0 ? label : `${label}, again`))

const controlsOf = (name: string): string[] =>
  Array.from({ length: CONTROLS }, (_, index) => `control ${index + 1} ${name}`)
const CONTROL_GROUPS = ['before all', ...LIMITED.flatMap(triesOf).map(name => `after ${name}`)]

const tookMs = ({ response, record }: Call): number | null =>
  response === null ? null : Math.round(response.headAtMs - record.sentEndMs)

export const GQL_LIMITS = graphCheck({
  id: 'GQL-LIMITS',
  title: 'Depth, aliases, batches, cost',
  level: 'hazard',
  page: {
    sent: `A query of depth ${DEPTH}, one with ${ALIASES} aliases, a batch of ${BATCH}, and a list with \`limit: ${MANY}\`.`,
    expected: `At most ${MAX_ARRIVALS} requests to subgraphs for each, and an answer within ${SLOW_MS / 1_000} s. The machine may be busy: as much later as small queries take more than ${ORDINARY_MS} ms, and ${FACTOR} times as late as a request of a fiftieth of the size.`,
    why: 'One small request that becomes thousands is the cheapest attack on a graph.',
  },
  steps({ fresh }) {
    const controls = (name: string): GraphStep[] =>
      controlsOf(name).map(label => ({ label, query: `{ ${fresh}: user(id: "u1") { name } }` }))
    return [
      ...controls('before all'),
      ...LIMITED.flatMap(label =>
        triesOf(label).flatMap((name, index) => [
          { label: name, query: limitedQueries(`${fresh}_${index}`)[label], more: { timeoutMs: ANSWER_MS } },
          { label: fractionOf(name), query: limitedQueries(`${fresh}_f${index}`, FACTOR)[label] },
          ...controls(`after ${name}`),
        ]),
      ),
    ]
  },
  judge(evidence) {
    const values: Record<string, unknown> = {}
    const found: string[] = []
    const ordinaryMs = Math.max(
      ...CONTROL_GROUPS.map(name => {
        const times = controlsOf(name).map(label => tookMs(evidence.call(label)) ?? 0)
        return times.toSorted((a, b) => a - b)[CONTROLS >> 1]!
      }),
    )
    for (const label of LIMITED) {
      const call = evidence.call(label)
      const answer = answerOf(call)
      const times = triesOf(label)
        .map(name => tookMs(evidence.call(name)))
        .filter(time => time !== null)
      const ms = times.length === 0 ? null : Math.min(...times)
      const fractions = triesOf(label).map(name => tookMs(evidence.call(fractionOf(name))) ?? 0)
      const slowMs = Math.max(SLOW_MS, (SLOW_MS * ordinaryMs) / ORDINARY_MS, FACTOR * Math.max(...fractions))
      values[label] = call.count === 0 ? `refused: ${saidBy(answer)}` : `${call.count} requests`
      if (call.count > MAX_ARRIVALS) found.push(`${label}: ${call.count} requests to subgraphs`)
      else if (ms === null) found.push(`${label}: no answer`)
      else if (ms > slowMs) found.push(`${label}: ${ms} ms`)
    }
    if (found.length > 0) return warn(found.join('; '), values)
    if (evidence.calls.every(({ status }) => status === null)) return skip('nothing was answered', values)
    const refused = LIMITED.filter(label => evidence.call(label).count === 0)
    return note(refused.length > 0 ? `refused: ${refused.join(', ')}` : 'nothing is refused', values)
  },
})

export const HTTP_CHECKS: readonly Check[] = [GQL_STATUS, GQL_CSRF, GQL_LIMITS]
