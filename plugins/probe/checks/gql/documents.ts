/** Documents that clients name instead of sending them. */
import { createHash } from 'node:crypto'
import { fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import { answerOf, saidBy, valueAt } from './answers.ts'
import { graphCheck } from './graph-check.ts'
import type { Encoding } from '../../client/request.ts'

/** A document that no gateway has seen before the run. */
function documentOf({ nonce }: Encoding): { query: string; extensions: object } {
  const query = `{ user(id: "u1") { probe_${nonce}: name } }`
  const sha256Hash = createHash('sha256').update(query).digest('hex')
  return { query, extensions: { persistedQuery: { version: 1, sha256Hash } } }
}

const isAnswered = (data: unknown): boolean =>
  typeof valueAt(data, 'user') === 'object' && valueAt(data, 'user') !== null

export const GQL_APQ = graphCheck({
  id: 'GQL-APQ',
  title: 'Automatic persisted queries',
  level: 'other-spec',
  sources: [{ spec: 'Apollo automatic persisted queries' }],
  page: {
    sent: 'The hash of a document, then the hash with the document, then the hash again.',
    expected: '`PERSISTED_QUERY_NOT_FOUND`, then data, twice.',
    why: 'A gateway that takes a document and forgets it makes each client send everything twice.',
  },
  steps: () => {
    const step = (label: string, withQuery: boolean) => ({
      label,
      query: '',
      more: {
        content: (_marker: string, encoding: Encoding): string => {
          const { query, extensions } = documentOf(encoding)
          return JSON.stringify(withQuery ? { query, extensions } : { extensions })
        },
      },
    })
    return [step('hash', false), step('both', true), step('again', false)]
  },
  judge(evidence) {
    const [hash, both, again] = ['hash', 'both', 'again'].map(label => answerOf(evidence.call(label)))
    const isOff = hash!.errors.some(({ code, message }) =>
      /NOT_?SUPPORTED|not supported|disabled/i.test(`${code} ${message}`),
    )
    if (isOff) return skip(`off: ${saidBy(hash!)}`)
    if (!isAnswered(both!.data)) return skip(`a document with its hash is not answered: ${saidBy(both!)}`)
    const isKnown =
      hash!.errors.some(({ code, message }) => /not_?found/i.test(`${code} ${message}`)) || isAnswered(hash!.data)
    if (!isKnown) return skip(`off: ${saidBy(hash!)}`)
    return isAnswered(again!.data)
      ? pass()
      : fail(`the hash is not answered after the document was sent: ${saidBy(again!)}`)
  },
})

export const GQL_TRUSTED = graphCheck({
  id: 'GQL-TRUSTED',
  title: 'Only documents that are known',
  level: 'hazard',
  page: {
    sent: 'The id of `gql.persisted`, and a document that the gateway does not know.',
    expected: 'Data for the id, and an error for the document.',
    why: 'A list of documents protects nothing if the gateway executes others too.',
  },
  needsNoArrivals: true,
  reasonWithout: ({ settings }) => (settings.persisted === null ? 'not configured: gql.persisted' : null),
  steps: ({ settings }) => [
    {
      label: 'known',
      query: {
        documentId: settings.persisted,
        extensions: { persistedQuery: { version: 1, sha256Hash: settings.persisted!.replace('sha256:', '') } },
      },
    },
    {
      label: 'free',
      query: '',
      more: { content: (_marker, encoding) => JSON.stringify({ query: documentOf(encoding).query }) },
    },
  ],
  judge(evidence) {
    const known = answerOf(evidence.call('known'))
    const free = evidence.call('free')
    if (isAnswered(answerOf(free).data)) return warn('a document that is not on the list is executed')
    if (known.data === null) return note(`the id of gql.persisted is not answered: ${saidBy(known)}`)
    return pass(`refused: ${saidBy(answerOf(free))}`)
  },
})

export const DOCUMENT_CHECKS: readonly Check[] = [GQL_APQ, GQL_TRUSTED]
