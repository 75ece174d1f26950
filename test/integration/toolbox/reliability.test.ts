/** The flaky endpoints and their counters. */
import { METHODS } from 'node:http'
import t from 'tap'
import { Pool } from 'undici'
import type { Store, StoreBounds, Svc } from '../../../core/contract/plugin.ts'
import { MemoryStore } from '../../../core/state/state-registry.ts'
import {
  failingAfter,
  failingAtRate,
  failingByPattern,
  recoveringAfter,
} from '../../../plugins/reliability/behavior.ts'
import { createCounters } from '../../../plugins/reliability/counters.ts'
import { checkRefusals, readXml } from '../../support/refusals.ts'
import { send, type Reply } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

/** A session that no other test uses. */
function ask(baseUrl: string, session: string): (path: string, method?: string) => Promise<Reply> {
  return (path, method) => send(baseUrl, path, { method: method ?? 'GET', headers: { 'X-Svc-Session': session } })
}

t.test('repeats a failure pattern [FLAKY-1]', async t => {
  const get = ask(url, 'pattern')
  for (let number = 1; number <= 7; number++) {
    const reply = await get(number % 2 === 0 ? '/flaky/pattern/ssf' : '/flaky/pattern/SSF')
    const position = (number - 1) % 3
    const current = 'SSF'[position]
    t.equal(reply.status, current === 'S' ? 200 : 503, `request ${number}`)
    t.equal(
      reply.text,
      JSON.stringify({
        ...(current === 'S' ? { status: 'ok' } : { error: 'service_unavailable' }),
        pattern: 'SSF',
        position,
        current,
        request_number: number,
      }),
    )
    t.match(reply.headers, {
      'x-svc-flaky': 'true',
      'x-svc-request-number': String(number),
      'retry-after': current === 'S' ? undefined : '1',
      vary: 'Accept',
    })
  }
})

t.test('fails after some successes, and recovers after some failures [FLAKY-1]', async t => {
  const get = ask(url, 'threshold')
  const rows: [path: string, status: number, message: RegExp | string][] = [
    ['/flaky/after/2', 200, /./],
    ['/flaky/after/2', 200, /./],
    ['/flaky/after/2', 503, /./],
    ['/flaky/after/2', 503, /./],
    ['/flaky/after/0', 503, /./],
    ['/flaky/after/1000000', 200, /./],
    ['/flaky/after/002', 503, /./],
    ['/flaky/recover/2', 503, 'failure 1 of 2 before recovering'],
    ['/flaky/recover/2', 503, 'failure 2 of 2 before recovering'],
    ['/flaky/recover/2', 200, 'recovered after 2 failures'],
    ['/flaky/recover/2', 200, 'recovered after 2 failures'],
    ['/flaky/recover/0', 200, 'recovered after 0 failures'],
  ]
  for (const [index, [path, status, message]] of rows.entries()) {
    const reply = await get(path)
    t.equal(reply.status, status, `${index}: ${path}`)
    t.match(reply.json(), {
      [status === 200 ? 'status' : 'error']: status === 200 ? 'ok' : 'service_unavailable',
      threshold: Number(path.split('/').at(-1)),
      message,
      request_number: Number(reply.headers['x-svc-request-number']),
    })
    t.strictSame(Object.keys(reply.json()), [
      status === 200 ? 'status' : 'error',
      'threshold',
      'message',
      'request_number',
    ])
  }
})

t.test('fails at a rate, independently per request [FLAKY-1]', async t => {
  const get = ask(url, 'rate')
  for (let number = 1; number <= 5; number++) {
    t.match(await get('/flaky/0'), {
      status: 200,
      headers: { 'x-svc-fail-rate': '0', 'x-svc-request-number': String(number), 'x-svc-flaky': 'true' },
    })
    const failed = await get('/flaky/100')
    t.match(failed, { status: 503, headers: { 'x-svc-fail-rate': '100', 'retry-after': '1' } })
    t.match(failed.json(), { error: 'service_unavailable', fail_rate: 100, message: String, request_number: number })
  }
  t.match((await get('/flaky/030')).json(), { fail_rate: 30, request_number: 1 })
  const fails = (rate: string, random: number): boolean => failingAtRate(rate, () => random).judge(1).fails
  t.same(
    [fails('30', 0), fails('30', 0.299), fails('30', 0.3), fails('0', 0), fails('100', 0.9999999)],
    [true, true, false, false, true],
  )
})

t.test('decides only by the random number [FLAKY-1]', async t => {
  const outcomes = (behavior: { judge(number: number): { fails: boolean } }): string =>
    [1, 2, 3, 4].map(number => (behavior.judge(number).fails ? 'F' : 'S')).join('')
  t.equal(outcomes(failingByPattern('FS')), 'FSFS')
  t.equal(outcomes(failingAfter('2')), 'SSFF')
  t.equal(outcomes(recoveringAfter('3')), 'FFFS')
})

t.test('counts any method, including HEAD [TOOL-4, FLAKY-2]', async t => {
  const get = ask(url, 'methods')
  for (const [index, method] of METHODS.filter(method => method !== 'CONNECT').entries()) {
    const reply = await get('/flaky/pattern/S', method)
    t.equal(reply.headers['x-svc-request-number'], String(index + 1), method)
    if (method === 'HEAD') t.equal(reply.text, '')
  }
})

t.test('each session and behavior has its own counter [FLAKY-2, FLAKY-4]', async t => {
  const [a, b] = [ask(url, 'count-a'), ask(url, 'count-b')]
  for (const path of [
    '/flaky/after/2',
    '/flaky/after/2',
    '/flaky/after/3',
    '/flaky/recover/2',
    '/flaky/pattern/sf',
    '/flaky/pattern/SF',
    '/flaky/50',
  ])
    await a(path)
  await b('/flaky/after/2')
  t.equal(
    (await a('/flaky/status')).text,
    '{"session":"count-a","counters":{"after:2":2,"after:3":1,"recover:2":1,"pattern:SF":2,"rate:50":1}}',
  )
  t.same((await b('/flaky/status')).json(), { session: 'count-b', counters: { 'after:2': 1 } })
  t.same((await ask(url, 'count-c')('/flaky/status')).json(), { session: 'count-c', counters: {} })
  t.same((await send(url, '/flaky/status')).json(), { session: 'ip:127.0.0.1', counters: {} })
  const named = await ask(url, 'ip:127.0.0.1')('/flaky/after/9')
  t.equal(named.status, 200)
  t.same(
    (await send(url, '/flaky/status')).json(),
    { session: 'ip:127.0.0.1', counters: {} },
    'a header that reads like an address is another session',
  )
  const xml = await send(url, '/flaky/status', { headers: { 'X-Svc-Session': 'count-a', Accept: 'application/xml' } })
  t.match(
    readXml(xml.text),
    {
      session: 'count-a',
      counters: { entry: [{ '@_key': 'after:2', '#text': 2 }, {}, {}, { '@_key': 'pattern:SF' }, {}] },
    },
    'keys that are not XML names [TOOL-2]',
  )
})

t.test('concurrent requests never share a number [FLAKY-2]', async t => {
  const get = ask(url, 'parallel')
  const numbers = await Promise.all(
    Array.from({ length: 200 }, async () => Number((await get('/flaky/recover/100')).headers['x-svc-request-number'])),
  )
  t.same(
    numbers.sort((a, b) => a - b),
    Array.from({ length: 200 }, (_, index) => index + 1),
  )
})

t.test('rejects invalid paths without counting and without the counter headers [FLAKY-3, TOOL-1]', async t => {
  const rows = [
    ...['101', '-1', '1.5', 'abc', '', '%2B5', '1e1', '99999999999999999999', '__proto__', 'pattern', 'after'].map(
      rate => ({ path: `/flaky/${rate}`, error: 'invalid_fail_rate' }),
    ),
    ...['', 'SFX', 'S F', 'S'.repeat(65), 'S'.repeat(15_000), '%C5%BF', '0', 'S,F'].map(pattern => ({
      path: `/flaky/pattern/${encodeURI(decodeURI(pattern))}`,
      error: 'invalid_pattern',
    })),
    ...['after', 'recover'].flatMap(route =>
      ['', '-1', '1.5', 'abc', '1000001', '99999999999999999999', '%201'].map(n => ({
        path: `/flaky/${route}/${n}`,
        error: 'invalid_count',
      })),
    ),
  ]
  await checkRefusals(t, url, rows, { negotiated: true })
  for (const path of ['/flaky/101', '/flaky/pattern/X', '/flaky/after/x']) {
    const { headers } = await ask(url, 'refused')(path)
    t.match(
      headers,
      {
        'x-svc-flaky': undefined,
        'x-svc-request-number': undefined,
        'x-svc-fail-rate': undefined,
        'retry-after': undefined,
      },
      path,
    )
  }
  t.same((await ask(url, 'refused')('/flaky/status')).json().counters, {})
  t.equal((await ask(url, 'refused')(`/flaky/pattern/${'SF'.repeat(32)}`)).status, 200, '64 letters')
})

t.test('reset removes the counters of the session or of all sessions [FLAKY-5]', async t => {
  const { url } = await serve(t)
  const [a, b] = [ask(url, 'a'), ask(url, 'ab')]
  for (const path of ['/flaky/after/2', '/flaky/after/3']) await a(path)
  await b('/flaky/after/2')
  t.equal(
    (await a('/flaky/reset', 'POST')).text,
    '{"status":"reset","scope":"session","session":"a","counters_removed":2}',
  )
  t.equal((await a('/flaky/reset?scope=session', 'POST')).json().counters_removed, 0)
  t.same((await b('/flaky/status')).json().counters, { 'after:2': 1 }, 'the other session keeps its counters')
  t.equal((await a('/flaky/after/2')).headers['x-svc-request-number'], '1', 'counting starts again')
  t.equal((await a('/flaky/reset?scope=all', 'POST')).text, '{"status":"reset","scope":"all","counters_removed":2}')
  await checkRefusals(
    t,
    url,
    ['', 'ALL', 'none', 'session,all'].map(scope => ({
      method: 'POST',
      path: `/flaky/reset?scope=${scope}`,
      error: 'invalid_parameter',
      parameter: 'scope',
    })),
    { negotiated: true },
  )
})

t.test('resetting all counters needs the admin token if one is configured [FLAKY-5]', async t => {
  const guarded = await serve(t, { env: { SVC_ADMIN_TOKEN: 'secret-1' } })
  const everybody = { 'X-Svc-Session': 'x' }
  t.equal((await send(guarded.url, '/flaky/reset?scope=all', { method: 'POST', headers: everybody })).status, 401)
  t.equal(
    (
      await send(guarded.url, '/flaky/reset?scope=all', {
        method: 'POST',
        headers: { ...everybody, Authorization: 'Bearer secret-1' },
      })
    ).status,
    200,
  )
  t.equal(
    (await send(guarded.url, '/flaky/reset', { method: 'POST', headers: everybody })).status,
    200,
    'its own ones are free',
  )
  const open = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal((await send(open.url, '/flaky/reset?scope=all', { method: 'POST' })).status, 403)
})

t.test('above the limit, the counter idle longest is evicted [FLAKY-6, TOOL-7]', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'secret-1' } })
  const numberOf = async (session: string): Promise<string | undefined> =>
    (await ask(url, session)('/flaky/after/5')).headers['x-svc-request-number'] as string | undefined
  const pool = new Pool(url, { connections: 8, pipelining: 8 })
  const begin = async (from: number, to: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: to - from }, (_, index) =>
        pool
          .request({ path: '/flaky/after/5', method: 'GET', headers: { 'x-svc-session': `s${from + index}` } })
          .then(({ body }) => body.dump()),
      ),
    )
  }
  t.equal(await numberOf('kept'), '1')
  t.equal(await numberOf('idle'), '1')
  await begin(0, 1000)
  t.equal(await numberOf('kept'), '2')
  await begin(1000, 1999)
  t.equal(await numberOf('kept'), '3', 'a recently used counter is kept')
  t.equal(await numberOf('idle'), '1', 'an idle counter is evicted')
  t.equal(
    (await send(url, '/flaky/reset?scope=all', { method: 'POST', headers: { 'X-Svc-Admin-Token': 'secret-1' } })).json()
      .counters_removed,
    2000,
    'never more than 2000',
  )
  await pool.close()
})

t.test('thirty thousand concurrent sessions leave ten thousand counters [FLAKY-6, FLAKY-2]', async t => {
  let store: MemoryStore<number> | undefined
  const state = (_name: string, bounds: StoreBounds<number>): Store<number> => (store = new MemoryStore(bounds))
  const counters = createCounters({ config: { publicMode: false }, state } as unknown as Svc)
  const numbers = await Promise.all(
    Array.from({ length: 30_000 }, (_, index) => counters.next(`header:s${index}`, 'after:3')),
  )
  t.ok(numbers.every(number => number === 1))
  t.equal(await store!.count(), 10_000)
  t.same(await counters.of('header:s19999'), {}, 'older counters are evicted')
  t.same(await counters.of('header:s20000'), { 'after:3': 1 })
  t.equal(await counters.next('header:s29999', 'after:3'), 2)
  t.equal(await counters.reset('header:s2999'), 0, 'a session does not match longer names')
  t.equal(await counters.reset('header:s29999'), 1)
  t.equal(await counters.resetAll(), 9999)
})
