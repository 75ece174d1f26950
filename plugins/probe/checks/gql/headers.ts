/** What a gateway tells subgraphs of the client, and the client of subgraphs. */
import { note, fail, skip, warn, type Check } from '../../catalog/check.ts'
import type { Field } from '../../client/response-parser.ts'
import { answerOf, saidBy } from './answers.ts'
import { fetchesOf } from './fetches.ts'
import { graphCheck, type GraphContext } from './graph-check.ts'

const COOKIE = 'probe-session=k7Qd2'
/** Sent so that the note tells which arrive without being configured. */
const OTHERS: readonly Field[] = [
  ['Authorization', 'Bearer probe.graph.token'],
  ['X-Request-Id', 'probe-request-7'],
  ['X-Probe-Alpha', 'one'],
  ['Accept-Language', 'de-CH'],
]
const valueFor = (name: string): string => `probe-${name.toLowerCase()}-value`
const wanted = ({ settings }: GraphContext): readonly string[] => settings.propagates ?? []
const isWanted = (context: GraphContext, name: string): boolean =>
  wanted(context).some(one => one.toLowerCase() === name.toLowerCase())

export const GQL_HEADERS = graphCheck({
  id: 'GQL-HEADERS',
  title: 'Headers that subgraphs receive',
  level: 'integrity',
  page: {
    sent: 'A query over three subgraphs with the headers of `gql.propagates`, a cookie, and some others.',
    expected:
      'The configured headers at each subgraph, also in requests for entities. No cookie and no Content-Length of the client.',
    why: 'Tenants and tokens that reach only the first subgraph give the data of somebody else, or none. A cookie belongs to the gateway alone.',
  },
  steps: context => [
    {
      label: 'headers',
      query: '{ products(limit: 2) { id stock averageRating } }',
      fields: [
        ...wanted(context).map((name): Field => [name, valueFor(name)]),
        ...OTHERS.filter(([name]) => !isWanted(context, name)),
        ...(isWanted(context, 'cookie') ? [] : ([['Cookie', COOKIE]] satisfies Field[])),
      ],
    },
  ],
  judge(evidence, context) {
    const call = evidence.call('headers')
    const fetches = fetchesOf(call)
    if (fetches.length === 0) return skip(`no subgraph was asked: ${saidBy(answerOf(call))}`)
    const missing = wanted(context).flatMap(name => {
      const at = fetches.filter(({ view }) => !view.values(name.toLowerCase()).includes(valueFor(name)))
      return at.length === 0
        ? []
        : [`${name} is missing at ${[...new Set(at.map(({ subgraph }) => subgraph))].join(', ')}`]
    })
    const forwarded = OTHERS.filter(
      ([name, value]) =>
        !isWanted(context, name) && fetches.some(({ view }) => view.values(name.toLowerCase()).includes(value)),
    ).map(([name]) => name)
    const values = { forwarded, configured: wanted(context) }
    if (missing.length > 0) return fail(missing.join('; '), values)
    const sentLength = Buffer.byteLength(String(call.record.spec.body))
    const found = [
      ...(!isWanted(context, 'cookie') && fetches.some(({ view }) => view.values('cookie').join().includes(COOKIE))
        ? ['the cookie of the client arrives']
        : []),
      ...(fetches.some(({ view: { record, ...view } }) => isLengthOfClient(view.fields, sentLength, record.body_size))
        ? ['the Content-Length of the client arrives']
        : []),
    ]
    if (found.length > 0) return warn(found.join('; '), values)
    const others = forwarded.length === 0 ? 'no other header is forwarded' : `also forwarded: ${forwarded.join(', ')}`
    return note(context.settings.propagates === null ? `not configured: gql.propagates; ${others}` : others, values)
  },
})

/** The length that the client sent, of a body that has another one. */
function isLengthOfClient(fields: readonly Field[], sent: number, size: number): boolean {
  return (
    size !== sent && fields.some(([name, value]) => name.toLowerCase() === 'content-length' && Number(value) === sent)
  )
}

const SECRET = 'probe secret: password of db-7.internal.example'
const CODE = 'PROBE_DATABASE_DOWN'
/** A file with line and column. */
const STACK = /\/[^\s":/]+:\d+:\d+/

export const GQL_LEAK = graphCheck({
  id: 'GQL-LEAK',
  title: 'Errors that clients see',
  level: 'hazard',
  when: { breaks: true },
  page: {
    sent: 'A query whose subgraph answers an error with a text, a code and the name of a host; and one whose subgraph answers 503.',
    expected: 'Nothing that names hosts of the gateway, and no stack traces.',
    why: 'Addresses and stacks tell an attacker what is behind the gateway. Whether texts of subgraphs are kept is noted.',
  },
  steps: () => [
    {
      label: 'failing',
      query: '{ user(id: "u1") { id name } }',
      faults: { users: { graphql: { errors: [{ at: 'User.name', code: CODE, message: SECRET }] } } },
    },
    { label: 'down', query: '{ user(id: "u1") { id name } }', faults: { users: 'unavailable' } },
  ],
  judge(evidence, { upstreams }) {
    const failing = answerOf(evidence.call('failing'))
    const down = answerOf(evidence.call('down'))
    const texts = [failing.text, down.text]
    const found = [
      ...upstreams
        .filter(host => texts.some(text => text.includes(host)))
        .map(host => `the address ${host} is in an error`),
      ...(texts.some(text => STACK.test(text)) ? ['a stack trace is in an error'] : []),
    ]
    const isKept = failing.text.includes(SECRET)
    const word = isKept ? 'kept' : failing.text.includes(CODE) ? 'code kept' : 'masked'
    if (found.length > 0) return warn(found.join('; '), { text: word })
    if (failing.errors.length === 0) return skip(`no error came back: ${failing.status ?? 'closed'}`)
    return note(word, { text: word })
  },
})

export const HEADER_CHECKS: readonly Check[] = [GQL_HEADERS, GQL_LEAK]
