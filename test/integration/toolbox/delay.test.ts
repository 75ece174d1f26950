/** `/delay`. */
import http from 'node:http'
import t from 'tap'
import { jitter, parseDuration } from '../../../plugins/delay/duration.ts'
import { checkRefusals, readXml } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t)
const { url } = server

t.test('reads milliseconds and seconds [DELAY-1]', async t => {
  const good: [text: string, ms: number][] = [
    ['0', 0],
    ['250', 250],
    ['007', 7],
    ['250ms', 250],
    ['250MS', 250],
    ['250mS', 250],
    ['1s', 1000],
    ['1.25s', 1250],
    ['.5s', 500],
    ['0.0004S', 0],
    ['0.0006s', 1],
    ['59.9996s', 60_000],
    ['99999999999999999999', 1e20],
  ]
  for (const [text, ms] of good) t.equal(parseDuration(text), ms, text)
  for (const text of [
    '',
    's',
    'ms',
    '.s',
    '1.s',
    '1.5',
    '1.5ms',
    '.5',
    '-1',
    '+1',
    '1m',
    '1h',
    '1 s',
    '1e3',
    '1e3s',
    '0x10',
    '1s1s',
    '1..5s',
    '1.2.3s',
    '٣',
  ])
    t.equal(parseDuration(text), null, JSON.stringify(text))
})

t.test('varies by up to 20 percent either way, in whole milliseconds [DELAY-2]', async t => {
  const rows: [ms: number, random: number, expected: number][] = [
    [1000, 0, 800],
    [1000, 0.9999999, 1200],
    [1000, 0.5, 1000],
    [5, 0, 4],
    [5, 0.9999, 6],
    [3, 0, 3],
    [3, 0.9999, 3],
    [1, 0.9999, 1],
    [0, 0.5, 0],
    [60_000, 0.9999, 60_000],
    [55_000, 0.9999, 60_000],
    [60_000, 0, 48_000],
  ]
  for (const [ms, random, expected] of rows)
    t.equal(
      jitter(ms, 60_000, () => random),
      expected,
      `${ms} at ${random}`,
    )
})

t.test('waits, and responds with the echo record and the durations [DELAY-1, TOOL-4]', async t => {
  for (const [method, path, requested] of [
    ['GET', '/delay/0', 0],
    ['POST', '/delay/20?x=1', 20],
    ['PROPFIND', '/delay/0.02s', 20],
    ['GET', '/delay/5ms?jitter=false', 5],
  ] as const) {
    const startedAt = performance.now()
    const reply = await send(url, path, { method, headers: { 'Content-Length': '2' }, body: 'hi' })
    t.ok(performance.now() - startedAt >= requested - 1, `${path} waited`)
    t.match(
      reply.json(),
      {
        method,
        url: url + path,
        body: { body: 'hi' },
        delay_ms: requested,
        requested_ms: requested,
        max_delay_ms: 60_000,
      },
      path,
    )
  }
  for (const flag of ['jitter', 'jitter=1', 'jitter=YES', 'jitter=true']) {
    const record = (await send(url, `/delay/10?${flag}`)).json<{ delay_ms: number; requested_ms: number }>()
    t.equal(record.requested_ms, 10, flag)
    t.ok(record.delay_ms >= 8 && record.delay_ms <= 12, `${flag}: ${record.delay_ms}`)
  }
  t.match(readXml((await send(url, '/delay/1', { headers: { Accept: 'application/xml' } })).text), {
    method: 'GET',
    delay_ms: 1,
    max_delay_ms: 60_000,
  })
  t.match(await send(url, '/delay/1', { method: 'HEAD' }), { status: 200, text: '' })
})

t.test('rejects invalid and too long durations [DELAY-3]', async t => {
  await checkRefusals(
    t,
    url,
    [
      '1.5',
      '1.5ms',
      '-1',
      '1m',
      '',
      '60001',
      '60.001s',
      '99999999999999999999',
      '1e3',
      '9'.repeat(500),
      '%20',
      '1%20s',
      '__proto__',
    ].map(text => ({ path: `/delay/${text}`, error: 'invalid_delay' })),
    { negotiated: true },
  )
})

t.test('public instances wait at most 10 seconds [DELAY-3, TOOL-7]', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  await checkRefusals(
    t,
    url,
    ['10001', '10.001s', '60s'].map(text => ({ path: `/delay/${text}`, error: 'invalid_delay' })),
    { negotiated: true },
  )
  t.equal((await send(url, '/delay/1')).json().max_delay_ms, 10_000)
})

t.test('the wait ends when the client disconnects [DELAY-4]', async t => {
  const generation = server.host.current()
  const request = http.get(`${url}/delay/60s`)
  request.on('error', () => {})
  await until(() => generation.openCount === 1, 'the request to arrive')
  request.destroy()
  await until(() => generation.openCount === 0, 'the request to be over')
  t.pass('nothing waits any more')
})
