/** Hostile: malformed HTTP/2, as frames of the probe's own. They are sent with --hostile only. */
import { fail, note, pass, skip, warn } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { Field } from '../../client/response-parser.ts'
import type { RequestSpec } from '../../client/request.ts'
import { each, one, rfc } from '../builders.ts'
import { hostile } from './lengths.ts'

const form = (label: string, change: NonNullable<RequestSpec['http2Form']>, method = 'GET'): RequestSpec => ({
  label,
  method,
  isValid: false,
  http2Form: change,
})
const adding =
  (...more: Field[]) =>
  (fields: readonly Field[]) => ({ fields: [...fields, ...more] })
const withPath = (change: (path: string) => string) => (fields: readonly Field[]) => ({
  fields: fields.map(([name, value]): Field => [name, name === ':path' ? change(value) : value]),
})

export const HTTP2_FRAMING_CHECKS = [
  hostile({
    id: 'FRM-H2-BAD',
    title: 'Malformed HTTP/2',
    level: 'must',
    sources: rfc(9113, '8.1.1', '8.2.1', '8.2.2'),
    protocols: ['2'],
    when: { noDirect: true },
    page: {
      sent: 'Requests in HTTP/2 with transfer-encoding, connection, a name in upper case, CR LF or NUL in a value, a space in :path, a content-length that lies, and two :path.',
      expected: 'RST_STREAM, GOAWAY or 400; none of them arrives as a complete request. A space may arrive encoded.',
      why: 'Written as HTTP/1.1, such a request becomes two, or another one.',
    },
    plan: () =>
      each([
        form('transfer-encoding', adding(['transfer-encoding', 'chunked']), 'POST'),
        form('connection', adding(['connection', 'x-probe-hop'], ['x-probe-hop', '1'])),
        form('upper case', adding(['X-Upper', '1'])),
        form('CR LF in a value', adding(['x-probe-line', 'a\r\nx-probe-inj: 1'])),
        form('NUL in a value', adding(['x-probe-nul', 'a\0b'])),
        form(
          'space in :path',
          withPath(path => `${path} x`),
        ),
        form(
          'length that lies',
          fields => ({ fields: [...fields, ['content-length', '3']], data: Buffer.from('abcdef') }),
          'POST',
        ),
        form('two :path', fields => {
          const path = fields.filter(([name]) => name === ':path')
          return { fields: [...fields.slice(0, 4), ...path, ...fields.slice(4)] }
        }),
      ]),
    judge(evidence) {
      const forwarded = evidence.calls.filter(({ arrivals }) => arrivals.some(({ isComplete }) => isComplete))
      // With the space encoded, the target is valid in HTTP/1.1 too.
      const isEncoded = ({ label, arrival }: Call): boolean =>
        label === 'space in :path' && arrival?.target.endsWith('%20x') === true
      const wrong = forwarded.filter(call => !isEncoded(call)).map(({ label }) => label)
      if (wrong.length > 0) return fail(`forwarded: ${wrong.join(', ')}`, { forwarded: wrong })
      return forwarded.length === 0 ? pass() : note('forwarded with %20: space in :path')
    },
  }),
  hostile({
    id: 'FRM-H2-HOST',
    title: 'Two authorities',
    level: 'should',
    sources: rfc(9113, '8.3.1'),
    protocols: ['2'],
    page: {
      sent: 'A request in HTTP/2 whose :authority is the gateway, and whose host is evil.example.',
      expected: 'It is refused, or :authority alone decides.',
      why: 'The gateway routes by one name, and the upstream by the other.',
    },
    plan: () => one({ isValid: false, fields: [['host', 'evil.example']] }),
    judge({ first: { arrival, count, status } }) {
      if (count === 0) return pass(`refused: ${status ?? 'reset'}`)
      const hosts = arrival!.values('host')
      if (hosts.length === 0) return skip('no host arrived')
      if (hosts.length > 1) return warn(`${hosts.length} Host fields arrive`, { hosts })
      return hosts[0] === 'evil.example' ? warn('evil.example arrives as the host', { hosts }) : pass('', { hosts })
    },
  }),
]
