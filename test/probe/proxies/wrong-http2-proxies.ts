/** Wrong proxies in HTTP/2, and the checks that catch them there. */
import type { Http2Fault } from './http2-proxy.ts'
import { set, type Fault } from './reference-proxy.ts'

export interface WrongHttp2Proxy {
  name: string
  fault?: Fault
  http2?: Http2Fault
  /** Default: those that catch it. */
  checks?: string[]
  caught: Record<string, 'fail' | 'warn'>
}

const HEADER_CHECKS = [
  'HDR-UNKNOWN',
  'HDR-DUP-ORDER',
  'HDR-DUP-LOSS',
  'HDR-COOKIE',
  'HDR-OBS',
  'HDR-VIA',
  'HDR-AUTH',
  'HDR-COND',
]
const RESPONSE_CHECKS = ['RSP-STATUS', 'RSP-103', 'RSP-204', 'RSP-HEAD', 'RSP-COOKIES', 'RSP-FIELDS']
const UPSTREAM = { upstreamHttp2: true }

const CALLS = ['GRPC-CALLS', 'GRPC-STATUS', 'GRPC-OWN-ERRORS']
const without = (pattern: RegExp) => (fields: [string, string][]) => fields.filter(([name]) => !pattern.test(name))
const changed =
  (name: string, change: (value: string) => string) =>
  (fields: [string, string][]): [string, string][] =>
    fields.map(([one, value]) => [one, one === name ? change(value) : value])

/** Between gRPC clients and the upstream. */
const GRPC_PROXIES: WrongHttp2Proxy[] = [
  { name: 'forwards calls', http2: UPSTREAM, checks: [...CALLS, 'GRPC-DEADLINE'], caught: {} },
  {
    name: 'drops trailers',
    http2: { ...UPSTREAM, trailers: () => [] },
    checks: CALLS,
    caught: { 'GRPC-CALLS': 'fail', 'GRPC-STATUS': 'fail' },
  },
  {
    name: 'drops trailers but the status',
    http2: { ...UPSTREAM, trailers: fields => fields.filter(([name]) => name.startsWith('grpc-')) },
    checks: CALLS,
    caught: { 'GRPC-CALLS': 'fail' },
  },
  {
    name: 'drops binary metadata',
    http2: { ...UPSTREAM, request: without(/-bin$/) },
    checks: CALLS,
    caught: { 'GRPC-CALLS': 'fail' },
  },
  {
    name: 'changes a message',
    http2: {
      ...UPSTREAM,
      requestBody: bytes => Buffer.from(bytes.toString('latin1').replace('four', 'Four'), 'latin1'),
    },
    checks: CALLS,
    caught: { 'GRPC-CALLS': 'fail' },
  },
  {
    name: 'holds requests',
    http2: { ...UPSTREAM, holdsRequests: true },
    checks: CALLS,
    caught: { 'GRPC-CALLS': 'warn' },
  },
  {
    name: 'holds replies',
    http2: { ...UPSTREAM, holdsResponses: true },
    checks: CALLS,
    caught: { 'GRPC-CALLS': 'warn' },
  },
  {
    name: 'says 14 for 5',
    http2: { ...UPSTREAM, trailers: changed('grpc-status', value => (value === '5' ? '14' : value)) },
    checks: CALLS,
    caught: { 'GRPC-STATUS': 'fail' },
  },
  {
    name: 'decodes messages of statuses',
    http2: { ...UPSTREAM, trailers: changed('grpc-message', value => value.replaceAll('%25', '')) },
    checks: CALLS,
    caught: { 'GRPC-STATUS': 'fail' },
  },
  {
    name: 'drops details of statuses',
    http2: { ...UPSTREAM, trailers: without(/^grpc-status-details-bin$/) },
    checks: CALLS,
    caught: { 'GRPC-STATUS': 'fail' },
  },
  {
    name: 'makes an answer without content an HTTP error',
    http2: {
      ...UPSTREAM,
      response: fields =>
        fields.some(([name]) => name === 'grpc-status')
          ? fields.map(([name, value]) => [name, name === ':status' ? '401' : value])
          : fields,
    },
    checks: CALLS,
    caught: { 'GRPC-STATUS': 'fail' },
  },
  {
    name: 'drops grpc-timeout',
    http2: { ...UPSTREAM, request: without(/^grpc-timeout$/) },
    checks: [...CALLS, 'GRPC-DEADLINE'],
    caught: { 'GRPC-DEADLINE': 'warn' },
  },
  {
    name: 'goes on after clients have left',
    http2: { ...UPSTREAM, ignoresCancel: true },
    checks: ['GRPC-DEADLINE'],
    caught: { 'GRPC-DEADLINE': 'fail' },
  },
  {
    name: 'shows pages to gRPC clients',
    http2: { ...UPSTREAM, errorType: 'text/html' },
    checks: CALLS,
    caught: { 'GRPC-OWN-ERRORS': 'warn' },
  },
]

export const HTTP2_PROXIES: WrongHttp2Proxy[] = [
  {
    name: 'writes a Cookie line for each field',
    http2: {
      lines: lines =>
        lines.flatMap(line =>
          line.startsWith('cookie: ')
            ? line
                .slice(8)
                .split('; ')
                .map(one => `cookie: ${one}`)
            : [line],
        ),
    },
    checks: HEADER_CHECKS,
    caught: { 'HDR-COOKIE': 'fail' },
  },
  {
    name: 'says Via of HTTP/1.1',
    fault: { request: head => set(head.fields, 'via', () => '1.1 wrong') },
    checks: HEADER_CHECKS,
    caught: { 'HDR-VIA': 'warn' },
  },
  {
    name: 'drops If-None-Match',
    http2: { lines: lines => lines.filter(line => !line.startsWith('if-none-match:')) },
    checks: HEADER_CHECKS,
    caught: { 'HDR-COND': 'fail' },
  },
  {
    name: 'joins Set-Cookie with commas',
    http2: {
      response(fields) {
        const cookies = fields.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value)
        const rest = fields.filter(([name]) => name.toLowerCase() !== 'set-cookie')
        return cookies.length === 0 ? rest : [...rest, ['set-cookie', cookies.join(', ')]]
      },
    },
    checks: RESPONSE_CHECKS,
    caught: { 'RSP-COOKIES': 'fail' },
  },
  {
    name: 'drops X-Probe-Alpha in responses',
    http2: { response: fields => fields.filter(([name]) => name.toLowerCase() !== 'x-probe-alpha') },
    checks: [...HEADER_CHECKS, ...RESPONSE_CHECKS],
    caught: { 'HDR-UNKNOWN': 'warn', 'RSP-FIELDS': 'fail' },
  },
  { name: 'ends broken responses properly', http2: { repairsEnd: true }, caught: { 'RSP-TRUNC': 'fail' } },
  {
    name: 'holds responses until they are complete',
    http2: { holdsResponses: true },
    checks: ['STR-SSE', 'STR-SSE-BYTES', 'STR-NO-TRANSFORM'],
    caught: { 'STR-SSE': 'warn' },
  },
  {
    name: 'sorts the query',
    http2: {
      lines: ([line = '', ...rest]) => [
        line.replace(/\?(\S+) /, (_, query: string) => `?${query.split('&').toSorted().join('&')} `),
        ...rest,
      ],
    },
    caught: { 'TGT-QUERY': 'warn' },
  },
  {
    name: 'forwards the host that the client names',
    http2: { lines: lines => lines.map(line => (line.startsWith('Host: ') ? 'Host: evil.example' : line)) },
    checks: ['FRM-H2-HOST'],
    caught: { 'FRM-H2-HOST': 'warn' },
  },
  {
    name: 'writes two Host lines',
    http2: { lines: lines => [...lines, 'Host: other.example'] },
    fault: { allows: ['host'] },
    checks: ['FRM-H2-HOST'],
    caught: { 'FRM-H2-HOST': 'warn' },
  },
  ...[
    ['transfer-encoding', 'transfer-encoding: chunked'],
    ['connection', 'connection: x-probe-hop'],
    ['upper case', 'X-Upper'],
    ['CR LF', 'x-probe-inj'],
    ['NUL', 'x-probe-nul'],
    ['a space', ' x HTTP/1.1'],
    ['a length that lies', 'content-length: 3'],
    ['two paths', 'two paths'],
  ].map(
    ([name, text]): WrongHttp2Proxy => ({
      name: `forwards ${name}`,
      http2: { accepts: found => found.includes(text!) },
      checks: ['FRM-H2-BAD'],
      caught: { 'FRM-H2-BAD': 'fail' },
    }),
  ),
  {
    name: 'encodes a space',
    http2: { accepts: found => found.includes(' x HTTP/1.1'), encodesSpaces: true },
    checks: ['FRM-H2-BAD'],
    caught: {},
  },
  { name: 'rejects all malformed forms', http2: { accepts: () => false }, checks: ['FRM-H2-BAD'], caught: {} },
  {
    name: 'refuses streams above 150',
    http2: { refusesAbove: 150 },
    caught: { 'CON-H2-STREAMS': 'warn' },
  },
  { name: 'never repeats', http2: UPSTREAM, checks: ['CON-H2-GOAWAY'], caught: {} },
  {
    name: 'repeats what was refused',
    http2: { ...UPSTREAM, repeats: isRefused => isRefused },
    checks: ['CON-H2-GOAWAY'],
    caught: {},
  },
  {
    name: 'repeats everything',
    http2: { ...UPSTREAM, repeats: () => true },
    checks: ['CON-H2-GOAWAY', 'HDR-UNKNOWN', 'FRM-BODY', 'RSP-STATUS'],
    caught: { 'CON-H2-GOAWAY': 'warn' },
  },
  ...GRPC_PROXIES,
]
