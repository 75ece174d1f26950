/** W3C Trace Context without export: parsing, display and response headers. */
import t from 'tap'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { readTraceParent } from '../../../core/tracing/trace-context.ts'
import { serveLimits } from '../../support/limits-server.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const VALID = `00-${TRACE}-${CALLER}-01`

t.test('traceparent is parsed by its grammar [TRACE-1]', async t => {
  const whole = { traceId: TRACE, spanId: CALLER, sampled: true, state: null }
  t.strictSame(readTraceParent({ traceparent: VALID }), whole)
  t.strictSame(readTraceParent({ traceparent: `00-${TRACE}-${CALLER}-00` }), { ...whole, sampled: false })
  t.strictSame(
    readTraceParent({ traceparent: `00-${TRACE}-${CALLER}-03` }),
    whole,
    'other flags than sampled do not matter',
  )
  t.strictSame(
    readTraceParent({ traceparent: `cc-${TRACE}-${CALLER}-01-what-comes` }),
    whole,
    'a later version with more fields',
  )
  t.strictSame(readTraceParent({ traceparent: `cc-${TRACE}-${CALLER}-01` }), whole, 'a later version without')
  const invalid = {
    nothing: '',
    'version ff': `ff-${TRACE}-${CALLER}-01`,
    'more fields in version 00': `${VALID}-what`,
    'a dot after a later version': `cc-${TRACE}-${CALLER}-01.what`,
    'upper case': VALID.toUpperCase(),
    'an empty trace id': `00-${'0'.repeat(32)}-${CALLER}-01`,
    'an empty span id': `00-${TRACE}-${'0'.repeat(16)}-01`,
    'a short trace id': `00-${TRACE.slice(1)}-${CALLER}-01`,
    'no flags': `00-${TRACE}-${CALLER}`,
    'no hex': `00-${TRACE.slice(1)}x-${CALLER}-01`,
    'two of them': `${VALID}, ${VALID}`,
  }
  for (const [what, traceparent] of Object.entries(invalid)) t.equal(readTraceParent({ traceparent }), null, what)
  t.equal(readTraceParent({}), null)
})

t.test('tracestate is kept, an invalid one is dropped [TRACE-2]', async t => {
  const stateOf = (tracestate: string): string | null | undefined =>
    readTraceParent({ traceparent: VALID, tracestate })?.state
  t.equal(stateOf('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'), 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')
  t.equal(
    stateOf('tenant@vendor=a b , , x*y=1\t'),
    'tenant@vendor=a b,x*y=1',
    'spaces around members and empty members are allowed',
  )
  for (const broken of [
    '',
    'no-value',
    'UPPER=1',
    'a=1,a=2',
    'a=b=c',
    'a=é',
    `${'k'.repeat(257)}=1`,
    `a=${'v'.repeat(257)}`,
    Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(','),
  ]) {
    t.equal(stateOf(broken), null, broken.slice(0, 20))
  }
  t.equal(readTraceParent({ tracestate: 'a=1' }), null, 'alone it says nothing')
})

t.test('inspector, log and response show the trace of a request [TRACE-1, TRACE-2, TRACE-3, TRACE-4]', async t => {
  const server = await serveLimits(t, { SVC_LOG_LEVEL: 'info', SVC_LOG_FORMAT: 'json' })
  const send = async (
    headers: Record<string, string>,
  ): Promise<{ response: Headers; entry: InspectorEntry; line: Record<string, unknown> }> => {
    const response = await fetch(`${server.url}/x`, { headers })
    await response.text()
    const { requests } = (await (await fetch(`${server.url}/_svc/requests?limit=1`)).json()) as {
      requests: [InspectorEntry]
    }
    const line = server.lines
      .map(text => JSON.parse(text) as Record<string, unknown>)
      .findLast(({ message, path }) => message === 'request' && path === '/x')!
    return { response: response.headers, entry: requests[0], line }
  }
  const valid = await send({ traceparent: VALID, tracestate: 'kong=1' })
  t.match(valid.entry.trace, {
    trace_id: TRACE,
    span_id: /^[\da-f]{16}$/,
    parent_span_id: CALLER,
    sampled: true,
    state: 'kong=1',
  })
  t.match(valid.line, { trace_id: TRACE, span_id: valid.entry.trace!.span_id })
  t.equal(valid.response.get('traceparent'), VALID)
  t.equal(valid.response.get('traceresponse'), `00-${TRACE}-${valid.entry.trace!.span_id}-01`)

  const invalid = await send({ traceparent: 'nonsense', tracestate: 'kong=1' })
  t.match(invalid.entry.trace, {
    trace_id: /^[\da-f]{32}$/,
    span_id: /^[\da-f]{16}$/,
    parent_span_id: null,
    sampled: false,
    state: null,
  })
  t.equal(invalid.response.get('traceparent'), null, 'what is invalid is not sent back')
  t.match(
    invalid.response.get('traceresponse'),
    `00-${invalid.entry.trace!.trace_id}-${invalid.entry.trace!.span_id}-00`,
  )
  t.ok(
    invalid.entry.headers.some(({ name, value }) => name === 'traceparent' && value === 'nonsense'),
    'the inspector shows what came',
  )

  const none = await send({})
  t.equal(none.entry.trace, null)
  t.notOk('trace_id' in none.line || 'span_id' in none.line)
  t.notOk(none.response.has('traceparent') || none.response.has('traceresponse'))
})
