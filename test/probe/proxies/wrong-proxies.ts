/** Wrong proxies: the reference proxy with one fault each, and the checks that catch it. */
import { NO_ROUTES, type Routes } from '../../../plugins/probe/client/routes.ts'
import { type Fault, type Fields, type Head, set, valuesOf } from './reference-proxy.ts'

export interface WrongProxy {
  name: string
  fault: Fault
  /** Verdicts of the checks that catch it. */
  caught: Record<string, 'fail' | 'warn'>
  /** Groups that are run; the others can't see it. Default: those of the checks that catch it. */
  groups?: string[]
  isHostile?: boolean
  /** Default: none. */
  routes?: Routes
}

const remove = (head: Head, name: RegExp): void => {
  head.fields = head.fields.filter(([found]) => !name.test(found))
}
const target = (head: Head, change: (target: string) => string): void => {
  const [method, path = '', version] = head.line.split(' ')
  head.line = `${method} ${change(path)} ${version}`
}
const status = (head: Head): number => Number(head.line.split(' ')[1])
const has = (head: Head, name: string): boolean => valuesOf(head.fields, name).length > 0
/** Replaces a text by one of the same length. */
const swap = (from: string, to: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString('latin1').replaceAll(from, to.padEnd(from.length)), 'latin1')
const MARKED = /^x-probe-(?:alpha|multi|many)$/i

const byRequest = (
  name: string,
  request: (head: Head) => void,
  caught: WrongProxy['caught'],
  more: Partial<WrongProxy> = {},
): WrongProxy => ({
  name,
  fault: { request },
  caught,
  ...more,
})
const byResponse = (
  name: string,
  response: (head: Head, request: Head) => void,
  caught: WrongProxy['caught'],
  more: Partial<WrongProxy> = {},
): WrongProxy => ({
  name,
  fault: { response },
  caught,
  ...more,
})

/** Forwards fields of the client that the reference proxy removes; they are taken from the received head. */
const HEADERS: WrongProxy[] = [
  byRequest('drops X-Probe-Alpha', head => remove(head, /^x-probe-alpha$/i), { 'HDR-UNKNOWN': 'warn' }),
  byRequest('changes values with a comma', head => set(head.fields, 'probe-beta', value => value.replaceAll('"', '')), {
    'HDR-UNKNOWN': 'warn',
  }),
  byRequest(
    'reverses repeated fields',
    head => {
      const values = valuesOf(head.fields, 'x-probe-multi').toReversed()
      let at = 0
      set(head.fields, 'x-probe-multi', () => values[at++]!)
    },
    { 'HDR-DUP-ORDER': 'warn' },
  ),
  byRequest(
    'keeps the first of repeated fields',
    head => {
      let seen = 0
      head.fields = head.fields.filter(([name]) => name.toLowerCase() !== 'x-probe-multi' || seen++ === 0)
    },
    { 'HDR-DUP-LOSS': 'fail' },
  ),
  byRequest(
    'splits cookies',
    head => {
      head.fields = head.fields.flatMap(([name, value]) =>
        name.toLowerCase() === 'cookie'
          ? value.split('; ').map((one): [string, string] => ['Cookie', one])
          : [[name, value]],
      ) as Fields
    },
    { 'HDR-COOKIE': 'fail' },
  ),
  byRequest(
    'garbles bytes above 7F',
    head => set(head.fields, 'x-probe-obs', value => Buffer.from(value, 'utf8').toString('latin1')),
    { 'HDR-OBS': 'warn' },
  ),
  byRequest(
    'writes underscores as hyphens',
    head => {
      for (const field of head.fields) field[0] = field[0].replaceAll('_', '-')
    },
    { 'HDR-NAMES': 'warn' },
  ),
  byRequest('adds no Via', head => remove(head, /^via$/i), { 'HDR-VIA': 'fail' }),
  byRequest('says Via of another version', head => set(head.fields, 'via', () => '1.0 wrong'), { 'HDR-VIA': 'warn' }),
  byRequest('drops If-Match', head => remove(head, /^if-match$/i), { 'HDR-COND': 'fail' }),
  byRequest('drops Range', head => remove(head, /^range$/i), { 'HDR-COND': 'fail' }),
  byRequest('changes Authorization', head => set(head.fields, 'authorization', value => value.toLowerCase()), {
    'HDR-AUTH': 'warn',
  }),
  byRequest(
    'restarts traces',
    head => set(head.fields, 'traceparent', () => `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`),
    { 'HDR-TRACE': 'warn' },
  ),
  byRequest('changes tracestate alone', head => set(head.fields, 'tracestate', () => 'b=2'), { 'HDR-TRACE': 'fail' }),
  byRequest('adds to Max-Forwards', head => set(head.fields, 'max-forwards', value => String(Number(value) + 1)), {
    'HDR-MAXFWD': 'fail',
  }),
  byRequest(
    'sends Proxy-Connection and Keep-Alive',
    head => void head.fields.push(['Proxy-Connection', 'keep-alive'], ['Keep-Alive', 'timeout=77']),
    { 'HDR-HOP': 'warn' },
  ),
  byRequest('names a field in Connection', head => void head.fields.push(['Connection', 'x-probe-hop']), {
    'HDR-CONN': 'fail',
  }),
  {
    name: 'forwards the fields that Connection names',
    fault: { passesNamed: true },
    caught: { 'HDR-CONN': 'fail' },
  },
  {
    name: 'lets Connection remove its own fields',
    fault: { connectionRemovesOwn: true },
    caught: { 'HDR-CONN-ABUSE': 'warn' },
  },
  {
    name: 'believes X-Forwarded-For',
    fault: { passesForwarded: /^(?:x-forwarded-for|x-real-ip)$/i },
    caught: { 'HDR-XFF': 'warn' },
  },
  {
    name: 'believes X-Forwarded-Host',
    fault: { passesForwarded: /^x-forwarded-(?:host|port|prefix)$/i },
    caught: { 'HDR-XFPROTO': 'warn' },
  },
  { name: 'passes Forwarded', fault: { passesForwarded: /^forwarded$/i }, caught: { 'HDR-FORWARDED': 'warn' } },
  byRequest('writes two Host fields', head => void head.fields.push(['Host', 'other.example']), { 'HDR-HOST': 'fail' }),
]

const STATUS = { groups: ['HDR-PROXYSTATUS'] }
const INNER = 'inner.probe; received-status=200'
const proxyStatus = (name: string, value: string, caught: WrongProxy['caught']): WrongProxy =>
  byResponse(name, head => set(head.fields, 'proxy-status', () => value), caught, STATUS)

const PROXY_STATUS: WrongProxy[] = [
  byResponse('drops Proxy-Status', head => remove(head, /^proxy-status$/i), { 'HDR-PROXYSTATUS': 'warn' }, STATUS),
  proxyStatus('replaces Proxy-Status', 'reference; received-status=200', { 'HDR-PROXYSTATUS': 'warn' }),
  proxyStatus('writes its member in front of Proxy-Status', `reference, ${INNER}`, { 'HDR-PROXYSTATUS': 'warn' }),
  proxyStatus('joins Proxy-Status with a blank', `${INNER} reference`, { 'HDR-PROXYSTATUS': 'warn' }),
  proxyStatus('writes received-status as text', `${INNER}, reference; received-status="200"`, {
    'HDR-PROXYSTATUS': 'warn',
  }),
  proxyStatus('writes its member behind Proxy-Status', `${INNER}, "reference"; next-hop=a.b; details="x \\"y\\""`, {}),
  {
    name: 'says in Proxy-Status why it failed',
    fault: { failure: '502 Bad Gateway\r\nProxy-Status: reference; error=connection_terminated' },
    caught: {},
    ...STATUS,
  },
  {
    name: 'writes error as a string',
    fault: { failure: '502 Bad Gateway\r\nProxy-Status: reference; error="connection_terminated"' },
    caught: { 'HDR-PROXYSTATUS': 'warn' },
    ...STATUS,
  },
]

const INCREMENTAL = { groups: ['INC-FORWARD', 'INC-REFUSE'] }
const isIncremental = (head: Head): boolean => has(head, 'incremental')

const INCREMENTALS: WrongProxy[] = [
  {
    name: 'holds requests back',
    fault: { holdsRequests: true },
    caught: { 'INC-FORWARD': 'warn', 'INC-REFUSE': 'warn' },
    ...INCREMENTAL,
  },
  {
    name: 'holds answers back',
    fault: { holdsResponses: true },
    caught: { 'INC-FORWARD': 'warn', 'INC-REFUSE': 'warn' },
    ...INCREMENTAL,
  },
  { name: 'honors Incremental', fault: { holdsRequests: head => !isIncremental(head) }, caught: {}, ...INCREMENTAL },
  byRequest('drops Incremental', head => remove(head, /^incremental$/i), { 'INC-FORWARD': 'warn' }, INCREMENTAL),
  byResponse(
    'drops Incremental of answers',
    head => remove(head, /^incremental$/i),
    { 'INC-FORWARD': 'warn' },
    INCREMENTAL,
  ),
  {
    name: 'refuses Incremental as it should',
    fault: {
      refuses: head =>
        isIncremental(head) ? '501 Not Implemented\r\nProxy-Status: reference; error=incremental_refused' : null,
    },
    caught: {},
    ...INCREMENTAL,
  },
  {
    name: 'refuses Incremental with another status',
    fault: {
      refuses: head =>
        isIncremental(head) ? '403 Forbidden\r\nProxy-Status: reference; error=incremental_refused' : null,
    },
    caught: {},
    ...INCREMENTAL,
  },
  {
    name: 'refuses Incremental without a reason',
    fault: { refuses: head => (isIncremental(head) ? '501 Not Implemented' : null) },
    caught: { 'INC-REFUSE': 'warn' },
    ...INCREMENTAL,
  },
]

const QUERY = { groups: ['CON-QUERY'] }
const isQuery = (head: Head): boolean => head.line.startsWith('QUERY ')

const QUERIES: WrongProxy[] = [
  byRequest(
    'forwards QUERY as POST',
    head => void (head.line = head.line.replace(/^QUERY /, 'POST ')),
    { 'CON-QUERY': 'fail' },
    QUERY,
  ),
  {
    name: 'drops the content of QUERY',
    fault: { dropsBodyOf: /^QUERY$/ },
    caught: { 'CON-QUERY': 'fail' },
    ...QUERY,
  },
  byRequest(
    'drops the Content-Type of QUERY',
    head => {
      if (isQuery(head)) remove(head, /^content-type$/i)
    },
    { 'CON-QUERY': 'fail' },
    QUERY,
  ),
  {
    name: 'answers QUERY with 502',
    fault: { refuses: head => (isQuery(head) ? '502 Bad Gateway' : null) },
    caught: { 'CON-QUERY': 'warn' },
    ...QUERY,
  },
  {
    name: 'refuses QUERY',
    fault: { refuses: head => (isQuery(head) ? '405 Method Not Allowed' : null) },
    caught: {},
    ...QUERY,
  },
  {
    name: 'repeats QUERY',
    fault: { repeats: method => method === 'QUERY' },
    caught: {},
    ...QUERY,
  },
]

const TARGETS: WrongProxy[] = [
  byRequest(
    'writes braces as spaces',
    head => void (head.line = head.line.replace('{a|b}', 'a b')),
    { 'TGT-RAW': 'warn' },
    { groups: ['TGT-RAW', 'TGT-CTL'] },
  ),
  byRequest('decodes %2F', head => target(head, path => path.replaceAll(/%2f/gi, '/')), {
    'TGT-ENCSLASH': 'warn',
    'TGT-DOT': 'warn',
  }),
  byRequest('resolves raw dots only', head => target(head, path => path.replace(/\/[^/]+\/\.\.\//, '/')), {
    'TGT-DOT': 'warn',
  }),
  byRequest('decodes %25', head => target(head, path => path.replaceAll('%25', '%')), { 'TGT-DOUBLE': 'warn' }),
  byRequest('cuts at ;', head => target(head, path => path.replace(/;[^/]*/, '')), {
    'TGT-PARAM': 'warn',
    'TGT-QUERY': 'warn',
  }),
  byRequest(
    'decodes line breaks',
    head => target(head, path => path.replaceAll('%0d%0a', ' HTTP/1.1\r\n').replace(/Inj:1$/, 'Inj: 1\r\nX-Rest:')),
    { 'TGT-CTL': 'fail' },
  ),
  byRequest('cuts at %00', head => target(head, path => path.replace(/%00.*$/, '')), { 'TGT-CTL': 'warn' }),
  byRequest(
    'sorts the query',
    head =>
      target(head, path => {
        const at = path.indexOf('?')
        return at === -1
          ? path
          : `${path.slice(0, at)}?${path
              .slice(at + 1)
              .split('&')
              .toSorted()
              .join('&')}`
      }),
    { 'TGT-QUERY': 'warn' },
  ),
  {
    name: 'passes a fragment',
    fault: { allows: ['line'] },
    caught: { 'TGT-FRAGMENT': 'warn' },
  },
  { name: 'refuses the absolute form', fault: { refusesAbsolute: () => true }, caught: { 'TGT-ABS': 'fail' } },
  {
    name: 'refuses an absolute form whose Host is another',
    fault: { refusesAbsolute: (target, host) => !target.startsWith(`http://${host}/`) },
    caught: {},
    groups: ['TGT-ABS'],
  },
  { name: 'keeps Host in the absolute form', fault: { keepsAbsolute: true }, caught: { 'TGT-ABS': 'fail' } },
  byRequest('cuts long targets', head => target(head, path => path.slice(0, 8_190)), { 'TGT-LONG': 'fail' }),
]

const FRAMING: WrongProxy[] = [
  {
    name: 'changes the bodies of requests',
    fault: { requestBody: bytes => Buffer.from(bytes.toString('latin1').replaceAll('\u0007', '\u0008'), 'latin1') },
    caught: { 'FRM-BODY': 'fail' },
  },
  {
    name: 'changes the bodies of responses',
    fault: { responseBody: bytes => Buffer.from(bytes.toString('latin1').replaceAll('\u0007', '\u0008'), 'latin1') },
    caught: { 'FRM-BODY': 'fail' },
  },
  byRequest(
    'writes equal lengths in one line',
    head => set(head.fields, 'content-length', value => (value === '3' ? '3, 3' : value)),
    { 'FRM-CL-SAME': 'fail' },
  ),
  {
    name: 'forwards length and chunked',
    fault: { allows: ['te'], keepsLength: true },
    caught: { 'FRM-CLTE': 'fail' },
    isHostile: true,
    groups: ['FRM-CLTE'],
  },
  {
    name: 'accepts a space before the colon',
    fault: { allows: ['te'] },
    caught: { 'FRM-TE-WS': 'fail' },
    isHostile: true,
    groups: ['FRM-TE-WS'],
  },
  {
    name: 'accepts other codings',
    fault: { allows: ['te'], passesCoding: true },
    caught: { 'FRM-TE-UNKNOWN': 'fail' },
    isHostile: true,
    groups: ['FRM-TE-UNKNOWN'],
  },
  {
    name: 'accepts chunked in HTTP/1.0',
    fault: { allows: ['te'], keepsOpen: true },
    caught: { 'FRM-TE-10': 'fail' },
    isHostile: true,
    groups: ['FRM-TE-10'],
  },
  {
    name: 'passes odd forms of chunked',
    fault: { allows: ['te'], passesCoding: true },
    caught: { 'FRM-TE-TWICE': 'fail' },
    isHostile: true,
    groups: ['FRM-TE-TWICE'],
  },
  {
    name: 'accepts lengths that differ',
    fault: { allows: ['length'], takesFirstLength: true },
    caught: { 'FRM-CL-DIFF': 'fail' },
    isHostile: true,
    groups: ['FRM-CL-DIFF'],
  },
  {
    name: 'accepts odd lengths',
    fault: { allows: ['length'], takesFirstLength: true },
    caught: { 'FRM-CL-FORM': 'fail' },
    isHostile: true,
    groups: ['FRM-CL-FORM'],
  },
  {
    name: 'drops the body of GET',
    fault: { dropsBodyOfGet: true },
    caught: { 'FRM-BODY-GET': 'warn' },
    isHostile: true,
    groups: ['FRM-BODY-GET'],
  },
  {
    name: 'writes bare LF',
    fault: { allows: ['line', 'control'], lineEnd: '\n' },
    caught: { 'FRM-LF': 'fail' },
    isHostile: true,
    groups: ['FRM-LF'],
  },
  {
    name: 'passes control characters',
    fault: { allows: ['control'] },
    caught: { 'FRM-CR-NUL': 'fail' },
    isHostile: true,
    groups: ['FRM-CR-NUL'],
  },
  {
    name: 'passes folded lines',
    fault: { allows: ['fold', 'te'], passesRaw: true },
    caught: { 'FRM-FOLD': 'fail' },
    isHostile: true,
    groups: ['FRM-FOLD'],
  },
  {
    name: 'passes a leading space',
    fault: { allows: ['lead', 'te'], passesRaw: true },
    caught: { 'FRM-LEAD-WS': 'fail' },
    isHostile: true,
    groups: ['FRM-LEAD-WS'],
  },
  {
    name: 'forwards without a valid Host',
    fault: { allows: ['host'] },
    caught: { 'FRM-HOST': 'fail' },
    isHostile: true,
    groups: ['FRM-HOST'],
  },
  {
    name: 'passes odd request lines',
    fault: { allows: ['line'] },
    caught: { 'FRM-REQLINE': 'fail' },
    isHostile: true,
    groups: ['FRM-REQLINE'],
  },
  {
    name: 'merges trailers into the head',
    fault: { mergesTrailers: true },
    caught: { 'FRM-TRAILER': 'fail' },
    isHostile: true,
    groups: ['FRM-TRAILER'],
  },
]

const RESPONSES: WrongProxy[] = [
  byResponse(
    'replaces early refusals',
    head => {
      if (status(head) === 401) head.line = 'HTTP/1.1 503 Service Unavailable'
    },
    { 'RSP-EARLY': 'warn' },
    { groups: ['RSP-EARLY', 'RSP-STATUS'] },
  ),
  byResponse(
    'replaces 418',
    head => {
      if (status(head) === 418) head.line = 'HTTP/1.1 200 OK'
    },
    { 'RSP-STATUS': 'fail' },
  ),
  { name: 'takes 103 for the final answer', fault: { endsAtInterim: true }, caught: { 'RSP-103': 'fail' } },
  byResponse(
    'adds a length to 204',
    head => {
      if (status(head) === 204) head.fields.push(['Content-Length', '0'])
    },
    { 'RSP-204': 'fail' },
  ),
  byResponse(
    'changes the length of HEAD',
    (head, request) => {
      if (request.line.startsWith('HEAD ')) set(head.fields, 'content-length', () => '0')
    },
    { 'RSP-HEAD': 'fail' },
  ),
  byResponse(
    'drops ETag of HEAD',
    (head, request) => {
      if (request.line.startsWith('HEAD ')) remove(head, /^etag$/i)
    },
    { 'RSP-HEAD': 'warn' },
  ),
  byResponse('drops Date', head => remove(head, /^date$/i), { 'RSP-DATE': 'fail' }),
  byResponse(
    'joins Set-Cookie',
    head => {
      const values = valuesOf(head.fields, 'set-cookie')
      if (values.length < 2) return
      remove(head, /^set-cookie$/i)
      head.fields.push(['Set-Cookie', values.join(', ')])
    },
    { 'RSP-COOKIES': 'fail' },
  ),
  byResponse('sends the Keep-Alive of the upstream', head => void head.fields.push(['Keep-Alive', 'timeout=77']), {
    'RSP-CONN': 'warn',
  }),
  { name: 'passes named fields of responses', fault: { passesNamedBack: true }, caught: { 'RSP-CONN': 'fail' } },
  byResponse('drops unknown fields', head => remove(head, MARKED), { 'RSP-FIELDS': 'fail' }),
  byResponse('drops bytes above 7F', head => remove(head, /^x-probe-obs$/i), { 'RSP-FIELDS': 'warn' }),
  byResponse(
    'cuts large heads',
    head => {
      const big = head.fields.filter(([name]) => /^x-probe-big-/i.test(name))
      if (big.length > 16) head.fields = head.fields.filter(field => !big.slice(16).includes(field))
    },
    { 'RSP-BIG': 'fail' },
  ),
  { name: 'rewrites no locations', fault: { keepsOrigin: true }, caught: { 'RSP-LOCATION': 'warn' } },
  byResponse(
    'makes relative references absolute',
    head => set(head.fields, 'location', value => (value.startsWith('/') ? `http://gateway.example${value}` : value)),
    { 'RSP-LOCATION': 'warn' },
  ),
  { name: 'takes the first of two lengths', fault: { takesFirstLengthBack: true }, caught: { 'RSP-CL-BAD': 'fail' } },
  { name: 'repairs chunked answers that broke off', fault: { repairsEnd: true }, caught: { 'RSP-TRUNC': 'fail' } },
  {
    name: 'gives bytes behind a response to the next one',
    fault: { keepsExtra: true },
    caught: { 'RSP-EXTRA': 'fail' },
  },
  byResponse(
    'puts trailers into the head',
    head => {
      if (has(head, 'trailer')) head.fields.push(['X-Probe-Check', 'ok'])
    },
    { 'RSP-TRAILERS': 'fail' },
  ),
]

const STREAMING: WrongProxy[] = [
  {
    name: 'buffers responses',
    fault: { holdsResponses: true },
    caught: { 'STR-BUFFER': 'warn', 'STR-SSE': 'warn', 'STR-SSE-GZIP': 'warn' },
    groups: ['STR-BUFFER', 'STR-SSE', 'STR-SSE-GZIP', 'STR-SSE-BYTES'],
  },
  { name: 'is late by 2 s', fault: { holdMs: 2_000 }, caught: { 'STR-SSE': 'warn' }, groups: ['STR-SSE'] },
  {
    name: 'changes line ends of events',
    fault: {
      responseBody: bytes => Buffer.from(bytes.toString('latin1').replaceAll('data: cr\r\r', 'data: cr\n\n'), 'latin1'),
    },
    caught: { 'STR-SSE-BYTES': 'fail' },
    groups: ['STR-SSE-BYTES'],
  },
  {
    name: 'drops comments of event streams',
    // Each piece of the stream is a chunk of its own.
    fault: {
      responseBody: bytes =>
        Buffer.from(bytes.toString('latin1').replaceAll('e\r\n: keep-alive\n\n\r\n', ''), 'latin1'),
    },
    caught: { 'STR-SSE-BYTES': 'fail' },
    groups: ['STR-SSE-BYTES'],
  },
  {
    name: 'makes comments in events fields',
    fault: { responseBody: swap(': in an event\n', 'x: an event\n') },
    caught: { 'STR-SSE-BYTES': 'fail' },
    groups: ['STR-SSE-BYTES'],
  },
  {
    name: 'does not see that clients leave',
    fault: { ignoresLeaving: true },
    caught: { 'STR-ABORT': 'warn' },
    groups: ['STR-ABORT'],
  },
  {
    name: 'never answers Expect',
    fault: { holdsRequests: true },
    caught: { 'STR-EXPECT': 'fail' },
    groups: ['STR-EXPECT'],
  },
  {
    name: 'transforms in spite of no-transform',
    fault: {
      responseBody: bytes =>
        Buffer.from(bytes.toString('latin1').replaceAll('gateway changes', 'Gateway changes'), 'latin1'),
    },
    caught: { 'STR-NO-TRANSFORM': 'fail' },
    groups: ['STR-NO-TRANSFORM', 'STR-RANGE'],
  },
  byResponse(
    'makes 206 a 200',
    head => {
      if (status(head) === 206) head.line = 'HTTP/1.1 200 OK'
    },
    { 'STR-RANGE': 'fail' },
    { groups: ['STR-RANGE', 'STR-ENCODING', 'STR-NO-TRANSFORM'] },
  ),
  byResponse(
    'claims gzip',
    (head, request) => {
      if (
        has(request, 'accept-encoding') &&
        !has(head, 'content-encoding') &&
        valuesOf(head.fields, 'content-type').join() === 'text/html'
      )
        head.fields.push(['Content-Encoding', 'gzip'])
    },
    { 'STR-ENCODING': 'fail', 'STR-NO-TRANSFORM': 'fail' },
    { groups: ['STR-ENCODING', 'STR-NO-TRANSFORM', 'STR-RANGE'] },
  ),
]

const CONNECTIONS: WrongProxy[] = [
  { name: 'does not close', fault: { keepsOpen: true }, caught: { 'CON-CLOSE': 'fail' }, groups: ['CON-CLOSE'] },
  byResponse(
    'does not say close',
    head => remove(head, /^connection$/i),
    { 'CON-CLOSE': 'warn' },
    { groups: ['CON-CLOSE'] },
  ),
  {
    name: 'repeats everything after 503',
    fault: { repeats: (_method, code) => code === 503 },
    caught: { 'CON-RETRY': 'warn' },
    groups: ['CON-RETRY', 'CON-STALE'],
  },
  {
    name: 'repeats POST on a lost connection',
    fault: { repeats: (_method, code) => code === null },
    caught: { 'CON-RETRY': 'warn', 'CON-STALE': 'warn' },
    groups: ['CON-RETRY', 'CON-STALE'],
  },
  byResponse(
    'drops Retry-After',
    head => remove(head, /^retry-after$/i),
    { 'CON-RETRY-AFTER': 'warn' },
    { groups: ['CON-RETRY-AFTER', 'CON-ERROR'] },
  ),
  {
    name: 'answers failures with 500',
    fault: { failure: '500 Internal Server Error' },
    caught: { 'CON-ERROR': 'warn' },
    groups: ['CON-RETRY-AFTER', 'CON-ERROR'],
  },
  byRequest(
    'drops fields beyond 100',
    head => {
      head.fields = head.fields.filter(([name]) => !/^x-probe-n\d{3}$/i.test(name))
    },
    { 'CON-HEADERS': 'fail' },
    { groups: ['CON-HEADERS', 'CON-REUSE'] },
  ),
  {
    name: 'answers 500 to more than 150 fields',
    fault: { refuses: head => (head.fields.length > 150 ? '500 Internal Server Error' : null) },
    caught: { 'CON-HEADERS': 'fail' },
    groups: ['CON-HEADERS', 'CON-REUSE'],
  },
  {
    name: 'answers 503 to 16 KiB, but forwards 32 KiB',
    fault: {
      refuses: ({ fields }) =>
        valuesOf(fields, 'x-probe-long').some(({ length }) => length > 10_000 && length < 20_000)
          ? '503 Service Unavailable'
          : null,
    },
    caught: {},
    groups: ['CON-HEADERS'],
  },
  {
    name: 'answers 431 to more than 150 fields',
    fault: { refuses: head => (head.fields.length > 150 ? '431 Request Header Fields Too Large' : null) },
    caught: {},
    groups: ['CON-HEADERS'],
  },
]

/** A cache that reuses what says public, as it may, and something that it must not. */
const cache = (
  name: string,
  also: (response: Head, request: Head) => boolean,
  caught: WrongProxy['caught'],
  more: Fault = {},
): WrongProxy => ({
  name,
  fault: {
    caches: (response, request) =>
      /public/.test(valuesOf(response.fields, 'cache-control').join()) || also(response, request),
    ...more,
  },
  caught,
  groups: [
    'CCH-STORE',
    'CCH-NOSTORE',
    'CCH-PRIVATE',
    'CCH-AUTH',
    'CCH-VARY',
    'CCH-AGE',
    'CCH-INVALIDATE',
    'CCH-POISON',
  ],
})
const says = (response: Head, pattern: RegExp): boolean =>
  pattern.test(valuesOf(response.fields, 'cache-control').join())
const isPlain = (response: Head, request: Head): boolean =>
  says(response, /^max-age=60$/) && !has(response, 'vary') && !has(response, 'age') && !has(request, 'authorization')

const CACHING: WrongProxy[] = [
  cache('caches what it may', () => false, {}),
  cache('caches no-store', response => says(response, /no-store, max-age/), { 'CCH-NOSTORE': 'fail' }),
  cache('caches private', response => says(response, /private/), { 'CCH-PRIVATE': 'fail' }),
  cache(
    'caches with Authorization',
    (response, request) => says(response, /^max-age/) && has(request, 'authorization'),
    { 'CCH-AUTH': 'fail' },
  ),
  cache('ignores Vary', response => has(response, 'vary'), { 'CCH-VARY': 'fail' }),
  cache('does not count Age', response => has(response, 'age'), { 'CCH-AGE': 'warn' }),
  cache(
    'does not invalidate',
    (response, request) => isPlain(response, request) && request.line.includes('/cch-invalidate/'),
    { 'CCH-INVALIDATE': 'fail' },
  ),
  cache(
    'caches what X-Forwarded-Host made',
    (response, request) => isPlain(response, request) && request.line.includes('/cch-poison/'),
    { 'CCH-POISON': 'warn' },
    { passesForwarded: /^x-forwarded-host$/i },
  ),
]

/** A cache of answers to QUERY, by what it takes for a request. */
const queryCache = (name: string, storedBy: Fault['storedBy'], caught: WrongProxy['caught']): WrongProxy => ({
  name,
  fault: { caches: response => says(response, /^max-age=60$/), storesPost: true, storedBy },
  caught,
  groups: ['CCH-QUERY'],
})
const path = (head: Head): string => head.line.split(' ')[1]!
const typeOf = (head: Head): string => valuesOf(head.fields, 'content-type').join()

const QUERY_CACHING: WrongProxy[] = [
  queryCache('caches QUERY by its content', (head, content) => [head.line, typeOf(head), content].join('\n'), {}),
  queryCache('caches QUERY by its target', head => path(head), { 'CCH-QUERY': 'fail' }),
  queryCache('caches QUERY by method and target', head => head.line, { 'CCH-QUERY': 'fail' }),
  queryCache('caches QUERY without its type', (head, content) => [head.line, content].join('\n'), {
    'CCH-QUERY': 'fail',
  }),
]

const TRUST: WrongProxy[] = [
  byResponse(
    'adds its own CORS fields',
    head => {
      if (has(head, 'access-control-allow-origin'))
        head.fields.push(['Access-Control-Allow-Origin', 'https://app.example'])
    },
    { 'COR-OWNER': 'fail' },
  ),
  byResponse('allows any origin with credentials', head => set(head.fields, 'access-control-allow-origin', () => '*'), {
    'COR-OWNER': 'fail',
  }),
  { name: 'believes certificate fields', fault: { passesCertificates: true }, caught: { 'MTL-SPOOF': 'warn' } },
]

const WS = ['WS-OPEN', 'WS-BYTES', 'WS-PING', 'WS-CLOSE', 'WS-REFUSED', 'UPG-H2C']
/** One whole close frame and nothing else: a piece of a long message may begin with the same byte. */
function isClose(bytes: Buffer): boolean {
  const second = bytes[1] ?? 0
  return bytes[0] === 0x88 && bytes.length === 2 + ((second & 0x80) === 0 ? 0 : 4) + (second & 0x7f)
}

const WEBSOCKET: WrongProxy[] = [
  {
    name: 'ends a WebSocket on the first ping',
    // The probe sends each frame in a write of its own, but they may arrive together.
    fault: {
      toUpstream: bytes =>
        bytes.includes(Buffer.from([0x89, 0x82])) || bytes.includes(Buffer.from([0x89, 0x87])) ? null : bytes,
    },
    caught: { 'WS-PING': 'fail', 'WS-BYTES': 'fail' },
    groups: WS,
  },
  {
    name: 'changes the text of messages',
    fault: { toClient: bytes => Buffer.from(bytes.toString('latin1').replace('one two', 'One two'), 'latin1') },
    caught: { 'WS-BYTES': 'fail' },
    groups: WS,
  },
  {
    name: 'closes with a code of its own',
    fault: { toClient: bytes => (isClose(bytes) ? Buffer.from([0x88, 2, 3, 0xee]) : bytes) },
    caught: { 'WS-CLOSE': 'fail' },
    groups: WS,
  },
  {
    name: 'changes 1011 alone',
    fault: { toClient: bytes => (isClose(bytes) && bytes[3] === 0xf3 ? Buffer.from([0x88, 2, 3, 0xe8]) : bytes) },
    caught: { 'WS-CLOSE': 'warn' },
    groups: WS,
  },
  {
    name: 'drops the close frame of the client',
    fault: { toUpstream: bytes => (isClose(bytes) && bytes.length > 10 ? null : bytes) },
    caught: { 'WS-CLOSE': 'fail' },
    groups: WS,
  },
  byResponse(
    'chooses another protocol',
    head => set(head.fields, 'sec-websocket-protocol', () => 'b.probe'),
    { 'WS-OPEN': 'fail' },
    { groups: WS },
  ),
  byRequest('drops Origin', head => remove(head, /^origin$/i), { 'WS-OPEN': 'warn' }, { groups: WS }),
  byResponse(
    'answers refusals with 502',
    head => {
      if (status(head) === 403) head.line = 'HTTP/1.1 502 Bad Gateway'
    },
    { 'WS-REFUSED': 'fail' },
    { groups: WS },
  ),
  byResponse(
    'drops the reason of refusals',
    head => remove(head, /^x-probe-reason$/i),
    { 'WS-REFUSED': 'warn' },
    { groups: WS },
  ),
  { name: 'keeps a dead WebSocket', fault: { keepsDead: true }, caught: { 'WS-DEAD': 'warn' }, groups: ['WS-DEAD'] },
  {
    name: 'tunnels h2c',
    fault: { upgrades: ['websocket', 'h2c'] },
    caught: { 'UPG-H2C': 'warn' },
    groups: WS,
  },
  { name: 'knows no WebSocket', fault: { upgrades: [] }, caught: {}, groups: [...WS, 'WS-DEAD'] },
]

const LLM = ['LLM-BODY', 'LLM-SHAPES', 'LLM-USAGE', 'LLM-ERR-FIRST', 'LLM-ERR-MID', 'LLM-429', 'LLM-CRED']
const MID_ERROR = 'data: {"error":{"message":"The probe asked for it.","type":"server_error","code":null}}'

const MODELS: WrongProxy[] = [
  {
    name: 'adds one to completion_tokens',
    fault: { responseBody: swap('"completion_tokens":7', '"completion_tokens":8') },
    caught: { 'LLM-USAGE': 'fail', 'LLM-BODY': 'fail' },
    groups: LLM,
  },
  {
    name: 'rounds numbers',
    fault: { requestBody: swap('12345678901234567890', '12345678901234567000') },
    caught: { 'LLM-BODY': 'fail' },
    groups: LLM,
  },
  {
    name: 'maps the model and renames an unknown member',
    fault: {
      requestBody: bytes => swap('x_probe_unknown', 'y_probe_unknown')(swap('gpt-4o-mini', 'gpt-4o-nano')(bytes)),
    },
    caught: {},
    groups: LLM,
  },
  {
    name: 'drops [DONE]',
    fault: { responseBody: swap('data: [DONE]', ': no end') },
    caught: { 'LLM-SHAPES': 'fail' },
    groups: LLM,
  },
  {
    name: 'replaces an error by [DONE]',
    fault: { responseBody: swap(MID_ERROR, 'data: [DONE]') },
    caught: { 'LLM-ERR-FIRST': 'warn', 'LLM-ERR-MID': 'fail' },
    groups: LLM,
  },
  {
    name: 'turns an error into text',
    fault: {
      responseBody: swap(MID_ERROR, 'data: {"id":"chatcmpl-probe","choices":[{"delta":{"content":"no"}}]}'),
    },
    caught: { 'LLM-ERR-FIRST': 'fail', 'LLM-ERR-MID': 'fail' },
    groups: LLM,
  },
  {
    name: 'ends broken streams of models in order',
    fault: { repairsEnd: true },
    caught: { 'LLM-ERR-MID': 'warn' },
    groups: LLM,
  },
  byRequest(
    'puts the key into the query',
    head => {
      const [key] = valuesOf(head.fields, 'authorization')
      if (key === undefined) return
      remove(head, /^authorization$/i)
      target(head, path => `${path}?api_key=${key.replace('Bearer ', '')}`)
    },
    { 'LLM-CRED': 'warn' },
    { groups: LLM },
  ),
  {
    name: 'shows its own key of the query',
    fault: {
      request(head) {
        remove(head, /^authorization$/i)
        target(head, path => `${path}?key=upstream%2Fsecret`)
      },
      response: head => void head.fields.push(['X-Upstream', '/chat/completions?key=upstream%2Fsecret']),
    },
    caught: { 'LLM-CRED': 'fail' },
    groups: LLM,
  },
  {
    name: 'has a key of its own in the query',
    fault: {
      request(head) {
        remove(head, /^authorization$/i)
        target(head, path => `${path}?key=upstream-secret`)
      },
    },
    caught: {},
    groups: LLM,
    routes: { ...NO_ROUTES, ownLlmCredential: true },
  },
  byRequest(
    'adds its own key, and leaves that of the client in the query',
    head => {
      const key = valuesOf(head.fields, 'authorization').join().replace('Bearer ', '')
      set(head.fields, 'authorization', () => 'Bearer upstream-secret')
      target(head, path => `${path}?key=${key}`)
    },
    { 'LLM-CRED': 'warn' },
    { groups: LLM, routes: { ...NO_ROUTES, ownLlmCredential: true } },
  ),
  byResponse(
    'says 503 for 529',
    head => {
      if (status(head) === 529) head.line = 'HTTP/1.1 503 Service Unavailable'
    },
    { 'LLM-ERR-FIRST': 'warn' },
    { groups: LLM },
  ),
  byResponse(
    'drops Retry-After of limits',
    head => remove(head, /^retry-after$/i),
    { 'LLM-429': 'warn' },
    { groups: LLM },
  ),
  {
    name: 'shows its own key',
    fault: {
      request: head => set(head.fields, 'authorization', () => 'Bearer upstream-secret'),
      response: head => void head.fields.push(['X-Upstream', 'key upstream-secret']),
    },
    caught: { 'LLM-CRED': 'fail' },
    groups: LLM,
  },
  {
    name: 'is late by 2 s with tokens',
    fault: { holdMs: 2_000 },
    caught: { 'LLM-TTFT': 'warn' },
    groups: ['LLM-TTFT'],
  },
  {
    name: 'lets models work for nobody',
    fault: { ignoresLeaving: true },
    caught: { 'LLM-CANCEL': 'warn' },
    groups: ['LLM-CANCEL'],
  },
  {
    name: 'asks a model five times',
    fault: { repeats: (_method, code) => code === 503, attempts: 5 },
    caught: { 'LLM-RETRY': 'warn' },
    groups: ['LLM-RETRY', 'LLM-GAP'],
  },
  {
    name: 'asks a model again after tokens',
    fault: { repeatsBroken: true },
    caught: { 'LLM-RETRY': 'fail', 'LLM-ERR-MID': 'fail' },
    groups: ['LLM-RETRY', 'LLM-ERR-MID'],
  },
  byRequest(
    'has paths of its own and forwards no field of the probe',
    head => {
      remove(head, /^x-svc-probe$/i)
      target(head, path => path.replace('/ai/openai/v1', '/elsewhere'))
    },
    {},
    { groups: LLM },
  ),
]

const MCP = ['MCP-HEAD', 'MCP-SESSION', 'MCP-STREAM', 'MCP-LIST', 'MCP-EXT', 'MCP-AUTH']
const MCP_LISTS = ['MCP-LIST', 'MCP-CACHE', 'MCP-SERVER', 'MCP-CHANGED', 'MCP-LARGE']
const A2A = ['A2A-CARD', 'A2A-SIG', 'A2A-VERSION', 'A2A-STREAM', 'A2A-ERRORS']
const OAUTH = ['OAU-ISSUER', 'OAU-CODE', 'OAU-FORM', 'OAU-CACHE']
const dropsOf = (name: string, field: RegExp, caught: WrongProxy['caught'], groups: string[]): WrongProxy =>
  byRequest(`drops ${name}`, head => remove(head, field), caught, { groups })
const swapsBack = (
  name: string,
  from: string,
  to: string,
  caught: WrongProxy['caught'],
  groups: string[],
): WrongProxy => ({
  name,
  fault: { responseBody: swap(from, to) },
  caught,
  groups,
})
const withToken = (token: string): Routes => ({ ...NO_ROUTES, mcpToken: token })

const AGENTS: WrongProxy[] = [
  dropsOf('Mcp-Name', /^mcp-name$/i, { 'MCP-HEAD': 'fail' }, MCP),
  dropsOf('Mcp-Param-*', /^mcp-param-/i, { 'MCP-HEAD': 'fail' }, MCP),
  byRequest(
    'repairs Mcp-Name',
    head => set(head.fields, 'mcp-name', () => 'echo'),
    { 'MCP-HEAD': 'warn' },
    { groups: MCP },
  ),
  byResponse(
    'loses Mcp-Session-Id',
    head => remove(head, /^mcp-session-id$/i),
    { 'MCP-SESSION': 'fail' },
    { groups: MCP },
  ),
  dropsOf('Mcp-Session-Id of requests', /^mcp-session-id$/i, { 'MCP-SESSION': 'fail' }, MCP),
  byResponse(
    'gives two clients one session',
    head => set(head.fields, 'mcp-session-id', () => 'probe-session-0123456789'),
    { 'MCP-SESSION': 'fail' },
    { groups: MCP },
  ),
  byResponse(
    'answers for sessions that have ended',
    head => {
      if (status(head) === 404) head.line = 'HTTP/1.1 200 OK'
    },
    { 'MCP-SESSION': 'fail' },
    { groups: ['MCP-SESSION', 'MCP-STREAM', 'MCP-LIST', 'MCP-HEAD'] },
  ),
  byResponse(
    'says 400 for unknown sessions',
    head => {
      if (status(head) === 404) head.line = 'HTTP/1.1 400 Bad Request'
    },
    { 'MCP-SESSION': 'fail' },
    { groups: ['MCP-SESSION', 'MCP-STREAM', 'MCP-LIST', 'MCP-HEAD'] },
  ),
  swapsBack('drops an event id', 'id: e3', ': e3', { 'MCP-STREAM': 'fail' }, MCP),
  dropsOf('Last-Event-ID', /^last-event-id$/i, { 'MCP-STREAM': 'fail' }, MCP),
  {
    name: 'lets tools go on',
    fault: { ignoresLeaving: true },
    caught: { 'MCP-CANCEL': 'warn' },
    groups: ['MCP-CANCEL'],
  },
  swapsBack('drops a keyword of a schema', '"maxItems":3', '"maxitems":3', { 'MCP-LIST': 'fail' }, MCP),
  swapsBack('loses a tool', '"probe_plain"', '"hidden"', { 'MCP-LIST': 'fail' }, MCP),
  swapsBack('ends lists early', 'probe-cursor', '', { 'MCP-LIST': 'fail' }, MCP),
  swapsBack(
    'renames what servers ask for',
    'sampling/createMessage',
    'sampling/createMassage',
    { 'MCP-SERVER': 'fail' },
    MCP_LISTS,
  ),
  {
    name: 'answers another question of the server',
    fault: { requestBody: swap('"id":"probe-', '"id":"other-') },
    caught: { 'MCP-SERVER': 'fail' },
    groups: MCP_LISTS,
  },
  swapsBack(
    'changes the state of requests',
    '"requestState":"probe',
    '"requestState":"prove',
    { 'MCP-SERVER': 'fail' },
    MCP_LISTS,
  ),
  swapsBack('renames announcements', 'tools/list_changed', 'tools/list_chanced', { 'MCP-CHANGED': 'warn' }, MCP_LISTS),
  swapsBack('changes cursors', 'probe/page=', 'probe_page=', { 'MCP-LARGE': 'fail' }, MCP_LISTS),
  swapsBack('loses one of many tools', 'probe_tool_000', 'other_tool_000', { 'MCP-LARGE': 'fail' }, MCP_LISTS),
  byResponse('drops challenges', head => remove(head, /^www-authenticate$/i), { 'MCP-AUTH': 'fail' }, { groups: MCP }),
  byResponse(
    'names metadata elsewhere',
    head => set(head.fields, 'www-authenticate', value => value.replace('//127.0.0.1', '//upstream.internal')),
    { 'MCP-AUTH': 'warn' },
    { groups: MCP },
  ),
  byRequest(
    'loses the port of the host',
    head => set(head.fields, 'host', value => value.replace(/:\d+$/, '')),
    { 'MCP-AUTH': 'warn', 'A2A-CARD': 'warn', 'OAU-ISSUER': 'warn' },
    { groups: [...MCP, ...A2A, ...OAUTH] },
  ),
  {
    name: 'hands tokens on',
    fault: {},
    caught: { 'MCP-TOKEN': 'warn' },
    groups: ['MCP-TOKEN'],
    routes: withToken('gateway-token'),
  },
  {
    ...byRequest('has tokens of its own', head => set(head.fields, 'authorization', () => 'Bearer other'), {}),
    groups: ['MCP-TOKEN'],
    routes: withToken('gateway-token'),
  },
  swapsBack('changes a signed card', 'Probe agent', 'Other agent', { 'A2A-SIG': 'fail' }, A2A),
  swapsBack('changes a signature', '"cHJvYmU"', '"cHJvYmV"', { 'A2A-SIG': 'fail' }, A2A),
  swapsBack('removes signatures', '"signatures"', '"x-signed"', {}, A2A),
  dropsOf('A2A-Extensions', /^a2a-extensions$/i, { 'A2A-VERSION': 'fail' }, A2A),
  byResponse('drops A2A-Version', head => remove(head, /^a2a-version$/i), { 'A2A-VERSION': 'fail' }, { groups: A2A }),
  byResponse(
    'says application/json',
    head => set(head.fields, 'content-type', value => value.replace('a2a+json', 'json')),
    { 'A2A-VERSION': 'warn' },
    { groups: A2A },
  ),
  swapsBack('changes an update', '"artifactId":"a2"', '"artifactId":"a1"', { 'A2A-STREAM': 'fail' }, A2A),
  {
    name: 'is late by 2 s with updates',
    fault: { holdMs: 2_000 },
    caught: { 'A2A-STREAM': 'warn' },
    groups: ['A2A-STREAM'],
  },
  byResponse(
    'says 500 for errors of agents',
    head => {
      if (status(head) === 400) head.line = 'HTTP/1.1 500 Internal Server Error'
    },
    { 'A2A-ERRORS': 'fail' },
    { groups: ['A2A-ERRORS', 'A2A-VERSION', 'A2A-STREAM'] },
  ),
  swapsBack('drops details of errors', '"VERSION_NOT_SUPPORTED"', '"ERROR"', { 'A2A-ERRORS': 'fail' }, A2A),
  byRequest(
    'drops state',
    head => target(head, path => path.replace(/&state=[^&]*/, '')),
    { 'OAU-CODE': 'fail' },
    { groups: OAUTH },
  ),
  byRequest(
    'keeps one of repeated parameters',
    head => target(head, path => path.replace(/&resource=[^&]*$/, '')),
    { 'OAU-CODE': 'fail' },
    { groups: OAUTH },
  ),
  byResponse(
    'drops iss',
    head => set(head.fields, 'location', value => value.replace(/&iss=[^&]*/, '')),
    { 'OAU-CODE': 'fail' },
    { groups: OAUTH },
  ),
  byResponse(
    'leads logins elsewhere',
    head => set(head.fields, 'location', value => value.replace('client.example', 'other.example')),
    { 'OAU-CODE': 'warn' },
    { groups: OAUTH },
  ),
  {
    name: 'decodes forms',
    fault: { requestBody: swap('b%2Bc', 'b+c') },
    caught: { 'OAU-FORM': 'fail' },
    groups: OAUTH,
  },
  byRequest(
    'lower-cases Basic',
    head => set(head.fields, 'authorization', value => value.toLowerCase()),
    { 'OAU-FORM': 'fail' },
    { groups: OAUTH },
  ),
  byResponse('removes no-store', head => remove(head, /^cache-control$/i), { 'OAU-CACHE': 'warn' }, { groups: OAUTH }),
  {
    name: 'reuses tokens',
    fault: { caches: (_response, request) => request.line.includes('/oauth/token'), storesPost: true },
    caught: { 'OAU-CACHE': 'fail' },
    groups: ['OAU-CACHE'],
  },
  swapsBack(
    'names endpoints elsewhere',
    'token_endpoint":"http://127',
    'token_endpoint":"http://128',
    { 'OAU-ISSUER': 'warn' },
    OAUTH,
  ),
]

const GRPC_WEB: WrongProxy[] = [
  {
    name: 'drops the trailers of gRPC-Web',
    fault: { responseBody: swap('grpc-status: 0', 'grpc-sta') },
    caught: { 'GRPC-WEB': 'fail' },
    groups: ['GRPC-WEB'],
  },
  {
    name: 'changes messages of gRPC-Web',
    fault: { responseBody: swap('reply', 'Reply') },
    caught: { 'GRPC-WEB': 'fail' },
    groups: ['GRPC-WEB'],
  },
]

export const WRONG_PROXIES: WrongProxy[] = [
  ...HEADERS,
  ...PROXY_STATUS,
  ...INCREMENTALS,
  ...QUERIES,
  ...TARGETS,
  ...FRAMING,
  ...RESPONSES,
  ...STREAMING,
  ...CONNECTIONS,
  ...CACHING,
  ...QUERY_CACHING,
  ...TRUST,
  ...WEBSOCKET,
  ...MODELS,
  ...AGENTS,
  ...GRPC_WEB,
]
