/** Heads of answers: status codes, fields, and what the gateway adds. */
import { BOTH, defineCheck, fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { Field } from '../../client/response-parser.ts'
import {
  answerBytes,
  answers,
  bytes,
  content,
  dateField,
  DEFAULT_FIELDS,
  each,
  KEEP,
  onOne,
  one,
  probeBody,
  RECEIVE,
  rfc,
  script,
  wait,
} from '../builders.ts'

const CODES: [number, string][] = [
  [203, 'Non-Authoritative Information'],
  [226, 'IM Used'],
  [299, 'Probe'],
  [418, "I'm a teapot"],
  [451, 'Unavailable For Legal Reasons'],
  [499, 'Probe'],
  [529, 'Probe'],
  [599, 'Probe'],
]
const COOKIES = [
  'a=1; Path=/; HttpOnly',
  'b=2; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Secure',
  'c="x, y"; SameSite=Lax',
]
const PLAIN: Field[] = [
  ['X-Probe-Alpha', 'one two'],
  ['Probe-Beta', '"q,1"; a=b'],
  ...Array.from({ length: 12 }, (_, index): Field => ['X-Probe-Many', `v${index}`]),
]
const ODD: Field[] = [
  ['X-Probe-Empty', ''],
  ['X-Probe-Obs', '\u0080caf\u00c3\u00a9\u00ff'],
]
const SIZES = [4, 8, 16, 32, 64]
/** Fields that any gateway may add, remove or change. */
const FREE =
  /^(?:host|connection|keep-alive|transfer-encoding|content-length|via|forwarded|x-forwarded-.*|x-real-ip|x-request-id|x-correlation-id|date|server|age|alt-svc|strict-transport-security)$/i

export const RESPONSE_HEAD_CHECKS = [
  defineCheck({
    id: 'RSP-STATUS',
    title: 'Unusual status codes',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'integrity',
    sources: rfc(9110, '7.6'),
    page: {
      sent: 'GET requests that are answered with 203, 226, 299, 418, 451, 499, 529 and 599.',
      expected: 'Code and body come back as they were.',
      why: 'Clients decide by the code.',
    },
    plan: () =>
      each(
        CODES.map(([status, reason]) => ({
          label: String(status),
          script: script(step => ({ status, reason, body: probeBody(step) })),
        })),
      ),
    judge(evidence) {
      const found: Verdict[] = []
      for (const call of evidence.calls) {
        const sent = Number(call.label)
        if (call.status === sent && call.isOurs) continue
        if (sent >= 400 && call.status !== null && call.status >= 400 && !call.isOurs)
          found.push(warn(`${sent} was replaced by an answer of the gateway (${call.status})`))
        else
          found.push(
            fail(`${sent} came back as ${call.status ?? 'nothing'}${call.status === sent ? ' with another body' : ''}`),
          )
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'RSP-103',
    title: 'Interim answers',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'proxy-only',
    sources: rfc(9110, '15.2'),
    when: { http11: true },
    page: {
      sent: 'A GET answered with 103 and, after 300 ms, 200; one with 102, 103 and 200; each followed by a second GET on the connection.',
      expected: 'The final answers come back, and so does that to the second request.',
      why: 'A gateway that takes 103 for the final answer breaks the connection.',
    },
    plan: () => ({
      connections: [
        [103, 300],
        [102, 0],
      ].map(([first, ms]) => ({
        requests: [
          {
            label: `${first}`,
            http11: true,
            script: (step: number) => [
              RECEIVE,
              ...(first === 102 ? [bytes('HTTP/1.1 102 Processing\r\n\r\n')] : []),
              bytes('HTTP/1.1 103 Early Hints\r\nLink: </probe.css>; rel=preload\r\n\r\n'),
              wait(ms!),
              bytes(answerBytes({ body: probeBody(step) })),
              KEEP,
            ],
          },
          { label: `after ${first}` },
        ],
      })),
    }),
    judge(evidence) {
      const found: Verdict[] = []
      for (const name of ['103', '102']) {
        const call = evidence.call(name)
        const second = evidence.call(`after ${name}`)
        if (call.status !== 200 || !call.isOurs)
          found.push(fail(`the final answer behind ${name} came back as ${call.status ?? 'nothing'}`))
        else if (call.exchange.ended === null && (second.status !== 200 || !second.isOurs))
          found.push(fail('the second request on the connection was not answered as itself'))
        else if (!call.response!.interims.some(({ status }) => status === 103)) found.push(note('103 is not passed on'))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'RSP-DATE',
    title: 'Date is added',
    group: 'responses',
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '6.6.1'),
    page: {
      sent: 'A GET that is answered without Date.',
      expected: 'The answer comes back with a Date.',
      why: 'Caches compute ages from it.',
    },
    plan: () => one({ script: script(step => ({ fields: DEFAULT_FIELDS, body: probeBody(step) })) }),
    judge: ({ first }) => (first.values('date').length > 0 ? pass() : fail('no Date in the answer')),
  }),
  defineCheck({
    id: 'RSP-COOKIES',
    title: 'Three cookies stay three',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'integrity',
    sources: [...rfc(9110, '5.3'), { spec: 'RFC 6265' }],
    page: {
      sent: 'A GET that is answered with three Set-Cookie fields, one with a comma in Expires.',
      expected: 'Three fields with these values.',
      why: 'Joined with commas, cookies are lost.',
    },
    plan: () =>
      one({
        script: script(step => ({
          fields: [dateField(), ...DEFAULT_FIELDS, ...COOKIES.map((value): Field => ['Set-Cookie', value])],
          body: probeBody(step),
        })),
      }),
    judge({ first }) {
      const values = first.values('set-cookie')
      const pairs = values.map(value => value.split(';', 1)[0])
      if (COOKIES.some((cookie, index) => cookie.split(';', 1)[0] !== pairs[index]) || values.length < 3)
        return fail(`${values.length} Set-Cookie fields came back, or other values`, { came_back: values })
      return COOKIES.every((cookie, index) => cookie === values[index])
        ? pass()
        : note('attributes were rewritten', { came_back: values })
    },
  }),
  defineCheck({
    id: 'RSP-CONN',
    title: 'Fields named by Connection stop here',
    group: 'responses',
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '7.6.1'),
    page: {
      sent: 'A GET that is answered with Connection: x-probe-hop, X-Probe-Hop and Keep-Alive: timeout=77.',
      expected: 'None of them comes back.',
      why: 'They describe the connection to the upstream, not that of the client.',
    },
    plan: () =>
      one({
        script: script(step => ({
          fields: [
            dateField(),
            ...DEFAULT_FIELDS,
            ['Connection', 'x-probe-hop'],
            ['X-Probe-Hop', '1'],
            ['Keep-Alive', 'timeout=77'],
          ],
          body: probeBody(step),
        })),
      }),
    judge({ first }) {
      if (first.values('x-probe-hop').length > 0) return fail('X-Probe-Hop came back although Connection names it')
      return first.values('keep-alive').some(value => value.includes('77'))
        ? warn("the upstream's Keep-Alive came back")
        : pass()
    },
  }),
  defineCheck({
    id: 'RSP-FIELDS',
    title: 'Unknown fields come back',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'integrity',
    sources: rfc(9110, '5.1'),
    page: {
      sent: 'A GET that is answered with unknown fields, twelve of one name, an empty value, and bytes above 7F.',
      expected: 'They come back unchanged.',
      why: 'Clients depend on fields that the gateway does not know.',
    },
    plan: () =>
      one({
        script: script(step => ({ fields: [dateField(), ...DEFAULT_FIELDS, ...PLAIN, ...ODD], body: probeBody(step) })),
      }),
    judge({ first }) {
      const found: Verdict[] = []
      const names = [...new Set(PLAIN.map(([name]) => name))]
      for (const name of names) {
        const sent = PLAIN.filter(([one]) => one === name).map(([, value]) => value)
        if (first.values(name).join(', ') !== sent.join(', ')) found.push(fail(`${name} is missing or changed`))
      }
      if (first.values('x-probe-obs')[0] !== ODD[1]![1]) found.push(warn('bytes above 7F are missing or changed'))
      if (first.values('x-probe-empty').length === 0) found.push(note('the empty field is dropped'))
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'RSP-ADDED',
    title: 'Fields that the gateway adds',
    group: 'responses',
    since: '2026.1',
    level: 'observation',
    sources: [],
    page: {
      sent: 'An ordinary GET.',
      expected: 'Fields that the upstream did not send are reported.',
      why: 'Some of them tell clients too much.',
    },
    plan: () => one(),
    judge({ first }) {
      const sent = new Set(['date', ...DEFAULT_FIELDS.map(([name]) => name.toLowerCase()), 'content-length'])
      const added = (first.response?.fields ?? [])
        .filter(([name]) => !sent.has(name.toLowerCase()))
        .map(([name, value]) => `${name}: ${value}`)
      const other = added.filter(line => !FREE.test(line.split(':', 1)[0]!))
      return note(added.length === 0 ? 'none' : added.join(', '), { added, not_usual: other })
    },
  }),
  defineCheck({
    id: 'RSP-BIG',
    title: 'Large heads',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'observation',
    impact: 'high',
    sources: [],
    when: { breaks: true, judgesRefusal: true },
    page: {
      sent: 'GET requests that are answered with 4, 8, 16, 32 and 64 KiB of fields.',
      expected: 'The largest that passes is reported; none is cut.',
      why: 'Large cookies and policies fail with 502.',
    },
    plan: () => ({
      inOrder: true,
      connections: SIZES.map(size => ({
        requests: [
          {
            label: String(size),
            script: script(step => ({
              fields: [
                dateField(),
                ...DEFAULT_FIELDS,
                ...Array.from({ length: size }, (_, index): Field => [`X-Probe-Big-${index}`, 'v'.repeat(1_024 - 20)]),
              ],
              body: probeBody(step),
            })),
          },
        ],
      })),
    }),
    judge(evidence) {
      const limits: Record<string, string> = {}
      let largest = 0
      for (const call of evidence.calls) {
        const size = Number(call.label)
        const came = (call.response?.fields ?? []).filter(([name]) => /^x-probe-big-/i.test(name)).length
        limits[`${size} KiB`] = call.status === 200 && call.isOurs ? 'passes' : String(call.status ?? 'closed')
        if (call.status === 200 && call.isOurs && came < size)
          return fail(`a head of ${size} KiB came back with ${came} of ${size} fields`, limits)
        if (call.status === 200) largest = size
      }
      return note(`up to ${largest} KiB pass`, limits)
    },
  }),
  defineCheck({
    id: 'RSP-LOCATION',
    title: 'Names of the upstream in the answer',
    group: 'responses',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '10.2.2'),
    page: {
      sent: 'A GET that is answered with Location, Content-Location, Link and Refresh that name the upstream; one with relative ones.',
      expected: 'They lead through the gateway; relative ones are not changed.',
      why: 'Otherwise clients are sent past the gateway, to a host that they cannot reach.',
    },
    plan: () => {
      const fieldsFor = (origin: string): Field[] => [
        dateField(),
        ...DEFAULT_FIELDS,
        ['Location', `${origin}/probe-location`],
        ['Content-Location', `${origin}/probe-content`],
        ['Link', `<${origin}/probe-link>; rel="next"`],
        ['Refresh', `5; url=${origin}/probe-refresh`],
      ]
      return each([
        {
          label: 'absolute',
          script: (step, { upstreamOrigin }) =>
            answers({ status: 201, reason: 'Created', fields: fieldsFor(upstreamOrigin), body: probeBody(step) }),
        },
        {
          label: 'relative',
          script: step => answers({ status: 201, reason: 'Created', fields: fieldsFor(''), body: probeBody(step) }),
        },
      ])
    },
    judge(evidence, { upstreamOrigins, gateway }) {
      const names = ['Location', 'Content-Location', 'Link', 'Refresh']
      const absolute = evidence.call('absolute')
      const relative = evidence.call('relative')
      const inner = upstreamOrigins.filter(origin => origin !== gateway.origin)
      const left = names.filter(name => inner.some(origin => absolute.values(name).join().includes(origin)))
      const changed = names.filter(name => !/^(?:<|5; url=)?\/probe-/.test(relative.values(name).join()))
      if (left.length > 0) return warn(`clients are sent past the gateway: ${left.join(', ')}`, { fields: left })
      return changed.length > 0 ? warn(`a relative reference was changed: ${changed.join(', ')}`) : note('rewritten')
    },
  }),
]

/** HEAD and answers without content, each followed by a second request on the connection. */
export const NO_CONTENT_CHECKS = [
  defineCheck({
    id: 'RSP-204',
    title: 'Answers without content',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'must',
    sources: [...rfc(9110, '8.6'), ...rfc(9112, '6.3')],
    page: {
      sent: 'A GET that is answered with 204, one with 304, each followed by a second GET.',
      expected: 'No content, no Content-Length with 204, and the second request is answered.',
      why: 'A byte too many is read as the next answer.',
    },
    plan: () => ({
      connections: ['204 No Content', '304 Not Modified'].map(status => ({
        requests: [
          {
            label: status.slice(0, 3),
            fields: status.startsWith('304') ? [['If-None-Match', '"probe-1"'] as const] : [],
            script: () => [
              RECEIVE,
              bytes(`HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nETag: "probe-1"\r\n\r\n`),
              KEEP,
            ],
          },
          { label: `after ${status.slice(0, 3)}` },
        ],
      })),
    }),
    judge(evidence) {
      const found: Verdict[] = []
      for (const name of ['204', '304']) {
        const call = evidence.call(name)
        const second = evidence.call(`after ${name}`)
        // Without the condition, which a cache evaluates itself, the 304 of the upstream would not be valid.
        if (name === '304' && call.arrival?.has('if-none-match') !== true) continue
        if (call.status !== Number(name)) found.push(fail(`${name} came back as ${call.status ?? 'nothing'}`))
        else if (
          name === '204' &&
          (call.values('content-length').length > 0 || call.values('transfer-encoding').length > 0)
        )
          found.push(fail('204 came back with Content-Length or Transfer-Encoding'))
        else if (call.exchange.ended === null && !(second.status === 200 && second.isOurs))
          found.push(fail(`the request behind ${name} was not answered as itself`))
      }
      return found.length === 0 ? pass() : worst(found)
    },
  }),
  defineCheck({
    id: 'RSP-HEAD',
    title: 'HEAD',
    group: 'responses',
    protocols: BOTH,
    since: '2026.1',
    level: 'must',
    sources: rfc(9110, '9.3.2', '8.6'),
    page: {
      sent: 'HEAD, answered with the fields of a GET, then a GET on the connection.',
      expected: 'No content, the Content-Length of the upstream, and the second request is answered.',
      why: 'A byte too many is read as the next answer.',
    },
    plan: () =>
      onOne([
        {
          label: 'head',
          method: 'HEAD',
          script: () => [
            RECEIVE,
            bytes(
              `HTTP/1.1 200 OK\r\nDate: ${new Date().toUTCString()}\r\nContent-Type: text/plain\r\nETag: "probe-1"\r\nCache-Control: no-store\r\nContent-Length: 1234\r\n\r\n`,
            ),
            // Caches ask with GET for what a HEAD wants.
            content('x'.repeat(1234)),
            KEEP,
          ],
        },
        { label: 'after' },
      ]),
    judge(evidence) {
      const call = evidence.call('head')
      const second = evidence.call('after')
      const [length] = call.values('content-length')
      if (length !== undefined && length !== '1234') return fail(`Content-Length came back as ${length}, not 1234`)
      if (call.exchange.ended === null && !(second.status === 200 && second.isOurs))
        return fail('the request behind HEAD was not answered as itself')
      const missing = ['Content-Type', 'ETag'].filter(name => call.values(name).length === 0)
      return missing.length === 0 ? pass() : warn(`missing: ${missing.join(', ')}`)
    },
  }),
]
