/** Content codings and ranges. */
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { BOTH, defineCheck, fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { Field } from '../../client/response-parser.ts'
import { dateField, each, listMembers, one, rfc, script } from '../builders.ts'
import { decodedBody } from './coding.ts'

const HTML = '<!doctype html><title>probe</title><p>What a gateway changes.</p>\n'.repeat(128).slice(0, 8_192)
const digest = (content: Buffer): string => `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
/** Brotli takes ten milliseconds, which are not those of every start. */
const CODED = { gzip: () => gzipSync(HTML), br: () => brotliCompressSync(HTML) }
const ACCEPTS: Field[] = [['Accept-Encoding', 'gzip, br']]
const htmlFields = (more: readonly Field[]): Field[] => [
  dateField(),
  ['Content-Type', 'text/html'],
  ['ETag', '"probe-html"'],
  ...more,
]

const RANGE_BODY = 'abcdefghijklmnopqrstuvwxyz'

export const CONTENT_CHECKS = [
  defineCheck({
    id: 'STR-NO-TRANSFORM',
    title: 'no-transform',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'must',
    sources: rfc(9111, '5.2.2.6'),
    page: {
      sent: 'A GET with Accept-Encoding; the answer says no-transform.',
      expected: 'The content comes back unchanged.',
      why: 'Checksums and signatures over the content fail.',
    },
    plan: () =>
      one({
        fields: ACCEPTS,
        script: script(() => ({ fields: htmlFields([['Cache-Control', 'no-store, no-transform']]), body: HTML })),
      }),
    judge({ first }) {
      const coding = first.values('content-encoding').join()
      if (coding !== '') return fail(`encoded with ${coding}`)
      return first.bodyText === HTML ? pass() : fail('the content was changed')
    },
  }),
  defineCheck({
    id: 'STR-ENCODING',
    title: 'Compression is honest',
    group: 'streaming',
    protocols: BOTH,
    since: '2026.1',
    level: 'should',
    sources: [...rfc(9110, '8.8.1', '12.5.5'), ...rfc(9530, '2')],
    page: {
      sent: 'A GET with Accept-Encoding, answered with a strong ETag and Content-Digest; answers that are encoded already.',
      expected: 'If the gateway compresses, it says Vary and weakens the ETag; encoded answers pass.',
      why: 'A cache gives a client what it cannot read, or joins ranges of different bytes.',
    },
    plan: () =>
      each([
        {
          label: 'plain',
          fields: ACCEPTS,
          script: script(() => ({ fields: htmlFields([['Content-Digest', digest(Buffer.from(HTML))]]), body: HTML })),
        },
        ...(['gzip', 'br'] as const).map(coding => ({
          label: coding,
          fields: ACCEPTS,
          script: script(() => ({
            fields: htmlFields([['Content-Encoding', coding]]),
            body: CODED[coding]().toString('latin1'),
          })),
        })),
      ]),
    judge(evidence) {
      const found: Verdict[] = []
      const plain = evidence.call('plain')
      const coding = plain.values('content-encoding').join()
      if (coding !== '') {
        if (!listMembers(plain.values('vary')).some(name => /^(?:accept-encoding|\*)$/i.test(name)))
          found.push(warn('compressed without Vary: Accept-Encoding'))
        if (plain.values('etag').join() === '"probe-html"') found.push(warn('compressed, but the strong ETag is kept'))
        if (plain.values('content-digest').join() === digest(Buffer.from(HTML)))
          found.push(fail('compressed, but Content-Digest is kept and false'))
        if (decodedBody(plain)?.toString() !== HTML) found.push(fail('the decoded content differs'))
      }
      for (const name of ['gzip', 'br'] as const) {
        const call = evidence.call(name)
        if (call.values('content-encoding').join() !== name)
          found.push(note(`${name} of the upstream is not passed on`))
        else if (!call.response!.body.equals(CODED[name]()))
          found.push(note(`${name} of the upstream was encoded again`))
      }
      if (found.length > 0) return worst(found)
      return coding === '' ? pass('not compressed') : pass(`compressed with ${coding}`)
    },
  }),
  defineCheck({
    id: 'STR-RANGE',
    title: 'Ranges',
    group: 'streaming',
    since: '2026.1',
    level: 'observation',
    impact: 'high',
    sources: rfc(9110, '14'),
    page: {
      sent: 'GET with Range, with If-Range, and with a range that cannot be satisfied.',
      expected: '206 and 416 come back with their bytes.',
      why: 'Downloads resume with the wrong bytes.',
    },
    plan: () =>
      each([
        {
          label: '206',
          fields: [['Range', 'bytes=5-9']],
          script: script(() => ({
            status: 206,
            reason: 'Partial Content',
            fields: [
              dateField(),
              ['Content-Type', 'text/plain'],
              ['ETag', '"probe-range"'],
              ['Content-Range', 'bytes 5-9/26'],
            ],
            body: RANGE_BODY.slice(5, 10),
          })),
        },
        {
          label: '416',
          fields: [['Range', 'bytes=100-']],
          script: script(() => ({
            status: 416,
            reason: 'Range Not Satisfiable',
            fields: [dateField(), ['Content-Type', 'text/plain'], ['Content-Range', 'bytes */26']],
          })),
        },
      ]),
    judge(evidence, { reuses }) {
      const partial = evidence.call('206')
      const found: Verdict[] = []
      if (
        partial.status !== 206 ||
        partial.bodyText !== 'fghij' ||
        partial.values('content-range').join() !== 'bytes 5-9/26'
      )
        found.push(
          (reuses === true ? note : fail)(`206 came back as ${partial.status ?? 'nothing'}, or with other bytes`),
        )
      const unsatisfiable = evidence.call('416')
      if (unsatisfiable.status !== 416)
        found.push((reuses === true ? note : warn)(`416 came back as ${unsatisfiable.status ?? 'nothing'}`))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
]
