/** Answers in parts, and files. */
import { createHash } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import { randomBytes } from '../builders.ts'
import { answerOf, saidBy, valueAt } from './answers.ts'
import { graphCheck, type GraphStep } from './graph-check.ts'
import { partsOf } from './stream-results.ts'

const SLOW_MS = 1_500

export const GQL_DEFER = graphCheck({
  id: 'GQL-DEFER',
  title: 'Deferred parts',
  level: 'timing',
  page: {
    sent: `A query with \`@defer\` over a subgraph that takes ${SLOW_MS} ms.`,
    expected: 'The first part before the slow subgraph has answered.',
    why: 'A gateway that waits for everything has made one large answer of two small ones.',
  },
  steps: () => [
    {
      label: 'defer',
      query: '{ user(id: "u1") { id name ... @defer { reviews { id } } } }',
      fields: [['Accept', 'multipart/mixed;deferSpec=20220824, application/json']],
      faults: { reviews: { delay: SLOW_MS } },
    },
  ],
  judge(evidence) {
    const call = evidence.call('defer')
    const parts = partsOf(call).filter(({ value }) => isRecord(value))
    if (!(call.values('content-type')[0] ?? '').startsWith('multipart/mixed') || parts.length === 0)
      return skip(`not offered: ${saidBy(answerOf(call))}`)
    const firstMs = Math.round(parts[0]!.atMs - call.record.sentEndMs)
    if (firstMs >= SLOW_MS) return warn(`the first part comes after ${firstMs} ms`, { first_ms: firstMs })
    return note(`the first part comes after ${firstMs} ms, of ${parts.length}`, {
      first_ms: firstMs,
      parts: parts.length,
    })
  },
})

const BOUNDARY = 'svc-probe-boundary'
/** With its parts it is below the limit that svc has for bodies. */
const PHOTO = randomBytes(768 * 1024, 29)
const HASH = createHash('sha256').update(PHOTO).digest('hex')

function uploadStep(): GraphStep {
  const operations = JSON.stringify({
    query: 'mutation($photo: Upload!) { attachPhoto(reviewId: "r1", photo: $photo) { bytes sha256 } }',
    variables: { photo: null },
  })
  const field = (name: string, value: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="0"; filename="photo.png"\r\nContent-Type: image/png\r\n\r\n`
  const body = Buffer.concat([
    Buffer.from(`${field('operations', operations)}${field('map', '{"0":["variables.photo"]}')}${head}`),
    PHOTO,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  return {
    label: 'upload',
    query: '',
    more: {
      body,
      fields: [
        ['Content-Type', `multipart/form-data; boundary=${BOUNDARY}`],
        ['Accept', 'application/json'],
        ['Apollo-Require-Preflight', 'true'],
        ['X-Apollo-Operation-Name', 'upload'],
      ],
    },
  }
}

export const GQL_UPLOAD = graphCheck({
  id: 'GQL-UPLOAD',
  title: 'Uploads',
  level: 'integrity',
  sources: [{ spec: 'GraphQL multipart request' }],
  page: {
    sent: 'A file of 768 KiB, by the GraphQL multipart request specification.',
    expected: 'The subgraph receives the same bytes.',
    why: 'Files that arrive changed are noticed when the original is gone.',
  },
  steps: () => [uploadStep()],
  judge(evidence) {
    const answer = answerOf(evidence.call('upload'))
    const photo = valueAt(answer.data, 'attachPhoto')
    if (!isRecord(photo)) return skip(`not offered: ${saidBy(answer)}`)
    const { bytes, sha256 } = photo
    return bytes === PHOTO.length && sha256 === HASH
      ? pass()
      : fail(`${String(bytes)} of ${PHOTO.length} bytes arrived, ${sha256 === HASH ? 'the same' : 'changed'}`)
  },
})

export const DELIVERY_CHECKS: readonly Check[] = [GQL_DEFER, GQL_UPLOAD]
