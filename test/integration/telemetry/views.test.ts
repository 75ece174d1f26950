/** `GET` and `DELETE /_svc/telemetry/*`: filters, waits, bounds, sessions, reset, public mode. */
import t from 'tap'
import { attributes, exportJson, requestOf, shown, span, type Json } from '../../support/otlp.ts'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { plugins: ['telemetry', 'echo'], env: { SVC_ADMIN_TOKEN: 'let-me-in-please' } })
const admin = { headers: { 'X-Svc-Admin-Token': 'let-me-in-please' } }
const clear = (kind: string) => send(server, `DELETE /_svc/telemetry/${kind}`, admin)
const keep = (records: Json[], resource = {}): Promise<unknown> =>
  exportJson(server, 'traces', requestOf('traces', records, resource))
const names = async (query: string): Promise<unknown[]> => (await shown(server, 'spans', query)).map(({ name }) => name)

t.test('filters select records [GWT-6]', async t => {
  await clear('spans')
  await keep(
    [
      span({
        name: 'a',
        attributes: attributes({ 'svc.session': 's1', route: 'x', n: 1, 'guid:x-request-id': 'r-1' }),
      }),
      span({ name: 'b', traceId: 'a'.repeat(32), status: { code: 2 } }),
      span({ name: 'c', status: { code: 1 } }),
    ],
    { 'service.name': 'gateway' },
  )
  t.strictSame(await names(''), ['c', 'b', 'a'])
  t.strictSame(await names('order=oldest&limit=2'), ['a', 'b'])
  t.strictSame(await names('session=s1'), ['a'])
  t.strictSame(await names('name=b'), ['b'])
  t.strictSame(await names(`trace_id=${'A'.repeat(32)}`), ['b'])
  t.strictSame(await names('request_id=r-1'), ['a'])
  t.strictSame(await names('status=error'), ['b'])
  t.strictSame(await names('service=gateway&source=otlp&status=ok'), ['c'])
  t.strictSame(await names('attr.route=x&attr.n=1'), ['a'])
  t.strictSame(await names('attr.route=y'), [])
  const [, , first] = await shown(server, 'spans')
  t.strictSame(await names(`since=${first!.id}`), ['c', 'b'])
  t.strictSame(await names('since=2999-01-01T00:00:00Z'), [])
  t.equal((await names('since=2020-01-01T00:00:00Z')).length, 3)
  t.strictSame((await send(server, '/s/s1/_svc/telemetry/spans')).json, {
    count: 1,
    spans: [first],
  })
  for (const [query, parameter] of [
    ['nam=a', 'nam'],
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['order=up', 'order'],
    ['status=500', 'status'],
    ['since=yesterday', 'since'],
    ['wait_for=0', 'wait_for'],
    ['timeout_ms=40000', 'timeout_ms'],
    ['name=a&name=b', 'name'],
    ['attr.=x', 'attr.'],
  ] as const) {
    const reply = await send(server, `/_svc/telemetry/spans?${query}`)
    t.equal(reply.status, 400, query)
    t.match(reply.json, { error: 'invalid_filter', parameter, details: /\S/ })
  }
  t.match((await send(server, '/_svc/telemetry/spans?nam=a')).json, { details: /did you mean "name"/ })
  t.equal((await send(server, '/_svc/telemetry/metrics?status=ok')).status, 400)
  t.equal((await send(server, '/_svc/telemetry/logs?status=ok')).status, 400)
  t.equal((await send(server, '/_svc/telemetry/spans?session=a%20b')).status, 400)
})

t.test('logs are found by status', async t => {
  await clear('logs')
  const log = (status: number): Json => ({ attributes: attributes({ 'http.response.status_code': status }) })
  await exportJson(server, 'logs', requestOf('logs', [log(200), log(503), log(504)]))
  const statuses = async (query: string): Promise<unknown[]> =>
    (await shown(server, 'logs', query)).map(({ status }) => status)
  t.strictSame(await statuses('status=5xx'), [504, 503])
  t.strictSame(await statuses('status=200'), [200])
})

t.test('a request can wait for records [GWT-6]', async t => {
  await clear('spans')
  const waiting = send(server, '/_svc/telemetry/spans?wait_for=2&name=w&timeout_ms=20000')
  await keep([span({ name: 'other' }), span({ name: 'w' })])
  await keep([span({ name: 'w' })])
  t.match((await waiting).json, { satisfied: true, count: 2, spans: [{ name: 'w' }, { name: 'w' }] })
  t.match((await send(server, '/_svc/telemetry/spans?wait_for=3&name=w&timeout_ms=20')).json, {
    satisfied: false,
    count: 2,
  })
})

t.test('credentials of the control plane are not shown [GWT-6]', async t => {
  await clear('spans')
  await keep([span({ attributes: attributes({ 'http.request.header.x-svc-admin-token': 'let-me-in-please' }) })])
  const { text } = await send(server, '/_svc/telemetry/spans')
  t.notMatch(text, /let-me-in-please/)
  t.match(text, /redacted/)
})

t.test('records are removed by session, or all by the admin [GWT-6]', async t => {
  await clear('spans')
  await keep([span({ attributes: attributes({ 'svc.session': 'one' }) }), span()])
  t.equal((await send(server, 'DELETE /_svc/telemetry/spans')).status, 401)
  t.strictSame((await send(server, 'DELETE /_svc/telemetry/spans?session=one')).json, { cleared: 1, session: 'one' })
  t.strictSame((await clear('spans')).json, { cleared: 1 })
  await keep([span({ attributes: attributes({ 'svc.session': 'one' }) }), span()])
  const reset = await send(server, 'POST /_svc/reset?session=one', { body: { kinds: ['telemetry'] } })
  t.equal(reset.status, 200)
  t.equal((await names('')).length, 1)
  await send(server, 'POST /_svc/reset?scope=instance', { body: { kinds: ['telemetry'] }, ...admin })
  t.strictSame(await names(''), [])
})

t.test('the oldest records go, and the metric counts all [GWT-7]', async t => {
  await clear('spans')
  const batch = (name: string) => Array.from({ length: 1500 }, () => span({ name }))
  await keep(batch('old'))
  await keep(batch('new'))
  const all = await names('limit=2000')
  t.equal(all.length, 2000)
  t.equal(all.filter(name => name === 'new').length, 1500)
  const { text } = await send(server, '/_svc/metrics')
  t.match(text, /svc_telemetry_records_total\{kind="spans",source="otlp",kept="true"\} 3\d\d\d\n/)
})

t.test('a public instance keeps and shows what has a session [GWT-4]', async t => {
  const open = await serve(t, {
    plugins: ['telemetry'],
    env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'let-me-in-please' },
  })
  const own = (name: string): Json => span({ name, attributes: attributes({ 'svc.session': name }) })
  const reply = await exportJson(open, 'traces', requestOf('traces', [own('ada'), own('bob'), span()]))
  t.match(reply.json, { partialSuccess: { rejectedSpans: '1', errorMessage: /svc\.session/ } })
  t.match((await send(open, '/_svc/telemetry/spans')).json, { error: 'session_required' })
  t.match(
    (await shown(open, 'spans', 'session=ada')).map(({ name }) => name),
    ['ada'],
  )
  await exportJson(
    open,
    'traces',
    requestOf(
      'traces',
      Array.from({ length: 200 }, () => own('ada')),
    ),
  )
  await exportJson(
    open,
    'traces',
    requestOf(
      'traces',
      Array.from({ length: 200 }, () => own('ada')),
    ),
  )
  t.equal((await shown(open, 'spans', 'session=ada&limit=1000')).length, 200)
  t.equal((await shown(open, 'spans', 'session=bob')).length, 1, 'others keep theirs')
  await send(open, 'POST /_svc/reset?scope=instance', { body: { kinds: ['telemetry'] }, ...admin })
  t.strictSame(await shown(open, 'spans', 'session=bob'), [])
})
