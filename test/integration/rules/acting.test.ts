/** What rules do with requests. */
import t, { type Test } from 'tap'
import { createConnection } from 'node:net'
import WebSocket from 'ws'
import { serve, type TestServer } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'

const server = await serve(t)

const statuses = async (path: string, count: number, session?: string): Promise<number[]> => {
  const found: number[] = []
  for (let index = 0; index < count; index++)
    found.push((await send(server, path, session === undefined ? {} : { session })).status)
  return found
}

const clear = (t: Test, on: TestServer = server): void => t.teardown(() => send(on, 'DELETE /_svc/rules')) as never

t.test('a list of steps is played once, then requests pass [RULE-1]', async t => {
  clear(t)
  await putRule(server, 'busy', { match: { path: '/echo' }, then: [{ fail: 429, times: 2 }, { fail: 503 }] })
  t.strictSame(await statuses('/echo', 5), [429, 429, 503, 200, 200])
  const { json } = await send(server, '/_svc/rules/busy')
  t.match(json, { matches: 5, hits: 3, state: 'exhausted', step: null })
})

t.test('one step acts on all requests, and a list can begin again or end in a step that stays [RULE-1]', async t => {
  clear(t)
  await putRule(server, 'one', { match: { path: '/echo' }, then: { fail: 503 } })
  t.strictSame(await statuses('/echo', 3), [503, 503, 503])
  await putRule(server, 'one', { match: { path: '/echo' }, then: [{ fail: 500 }, { pass: true }], loop: true })
  t.strictSame(await statuses('/echo', 5), [500, 200, 500, 200, 500])
  await putRule(server, 'one', { match: { path: '/echo' }, then: [{ pass: true }, { fail: 500, times: 'always' }] })
  t.strictSame(await statuses('/echo', 4), [200, 500, 500, 500])
  await putRule(server, 'one', { match: { path: '/echo' }, then: { fail: 500 }, times: 2 })
  t.strictSame(await statuses('/echo', 4), [500, 500, 200, 200])
})

t.test('skip, every and sample select requests, and other rules get the rest [RULE-2]', async t => {
  clear(t)
  await putRule(server, 'third', { match: { path: '/echo' }, then: { fail: 503 }, skip: 1, every: 3, times: 2 })
  t.strictSame(await statuses('/echo', 11), [200, 200, 200, 503, 200, 200, 503, 200, 200, 200, 200])
  await putRule(server, 'below', { match: { path: '/echo' }, then: { fail: 418 }, priority: -1 })
  await putRule(server, 'third', { match: { path: '/echo' }, then: { fail: 503 }, every: 2 })
  t.strictSame(await statuses('/echo', 4), [418, 503, 418, 503])
  await send(server, 'DELETE /_svc/rules')
  const run = async (): Promise<number[]> => {
    await putRule(server, 'some', { match: { path: '/echo' }, then: { fail: 503 }, sample: 0.5, seed: 'a' })
    return statuses('/echo', 40)
  }
  const first = await run()
  t.strictSame(await run(), first, 'a run repeats itself')
  const failed = first.filter(status => status === 503).length
  t.ok(failed > 8 && failed < 32, `${failed} of 40`)
})

t.test('exactly one rule acts: by priority, scope, source and age [RULE-3]', async t => {
  const server = await serve(t, {
    plugins: ['echo'],
    settings: {
      rules: [
        { name: 'file', match: { path: '/echo' }, then: { fail: 501 } },
        { name: 'file-first', match: { path: '/echo/first' }, then: { fail: 510 }, priority: 5 },
      ],
    },
  })
  const ruleOf = async (path: string, session?: string): Promise<string | null> =>
    (await send(server, path, session === undefined ? {} : { session })).headers.get('x-svc-rule')
  t.equal(await ruleOf('/echo'), 'file')
  await putRule(server, 'old', { match: { path: '/echo/**' }, then: { fail: 502 } })
  t.equal(await ruleOf('/echo'), 'old', 'rules of the API come before those of the file')
  await putRule(server, 'new', { match: { path: '/echo/**' }, then: { fail: 503 } })
  t.equal(await ruleOf('/echo'), 'new', 'newest first')
  await putRule(server, 'mine', { match: { path: '/echo/**' }, then: { fail: 504 } }, 's1')
  t.equal(await ruleOf('/echo', 's1'), 'mine', "the session's rules come first")
  t.equal(await ruleOf('/echo', 's2'), 'new', 'another session does not see them')
  t.equal(await ruleOf('/echo/first', 's1'), 'file-first', 'a higher priority comes before everything')
  const listed = await send(server, '/_svc/rules', { session: 's1' })
  t.match(listed.json, {
    count: 5,
    session: 's1',
    rules: ['file-first', 'mine', 'new', 'old', 'file'].map(name => ({ name })),
  })
})

t.test('counters are per session unless the rule says otherwise [RULE-4]', async t => {
  clear(t)
  await putRule(server, 'each', { match: { path: '/echo' }, then: [{ fail: 503 }] })
  t.strictSame(await statuses('/echo', 2, 'a'), [503, 200])
  t.strictSame(await statuses('/echo', 2, 'b'), [503, 200])
  t.strictSame(await statuses('/echo', 2), [503, 200])
  t.match((await send(server, '/_svc/rules/each')).json, { matches: 6, hits: 3 }, 'shown summed')
  await putRule(server, 'each', { match: { path: '/echo' }, then: [{ fail: 503 }], count: 'instance' })
  t.strictSame(await statuses('/echo', 1, 'a'), [503])
  t.strictSame(await statuses('/echo', 1, 'b'), [200])
})

t.test('two requests at once never get the same act [RULE-5]', async t => {
  clear(t)
  await putRule(server, 'ten', { match: { path: '/echo' }, then: [{ fail: 503, times: 10 }] })
  const replies = await Promise.all(Array.from({ length: 60 }, () => send(server, '/echo')))
  t.equal(replies.filter(({ status }) => status === 503).length, 10)
})

t.test('a failure says which rule injected it [RULE-6]', async t => {
  clear(t)
  await putRule(server, 'quota', {
    match: { path: '/echo' },
    then: { fail: 429, retry_after: 7, message: 'slow down' },
  })
  const { status, headers, json } = await send(server, '/echo', {
    headers: { 'x-request-id': 'r-quota', origin: 'http://a' },
  })
  t.equal(status, 429)
  t.equal(headers.get('retry-after'), '7')
  t.equal(headers.get('x-svc-rule'), 'quota')
  t.equal(headers.get('x-svc-fault'), 'fail')
  t.match(headers.get('access-control-expose-headers'), /X-Svc-Rule/)
  t.strictSame(json, {
    error: 'injected fault',
    status: 429,
    reason: 'Too Many Requests',
    percent: 100,
    injected_by: 'rule',
    rule: 'quota',
    message: 'slow down',
  })
  t.match((await send(server, '/_svc/requests/r-quota')).json, {
    rule: 'quota',
    fault: 'fail',
    fault_source: 'rule quota',
    status: 429,
  })
  const unknown = await send(server, '/no/such/path')
  t.equal(unknown.status, 404)
  await putRule(server, 'all', { then: { fail: 503 } })
  t.equal((await send(server, '/no/such/path')).status, 503, 'unknown paths have rules, too')
})

t.test('delays are added to those of the header, and drawn by seed [RULE-7]', async t => {
  clear(t)
  await putRule(server, 'slow', { match: { path: '/echo' }, then: { delay: 120 } })
  const startedAt = performance.now()
  const { status, headers } = await send(server, '/echo', { headers: { 'x-svc-delay': '80' } })
  t.equal(status, 200)
  t.ok(performance.now() - startedAt >= 199)
  t.equal(headers.get('x-svc-fault'), 'delay')
  t.equal(headers.get('x-svc-rule'), 'slow')
  await putRule(server, 'slow', { match: { path: '/echo' }, then: { delay: { uniform: [10, 20] }, fail: 500 } })
  const failed = await send(server, '/echo')
  t.equal(failed.status, 500)
  t.equal(failed.headers.get('x-svc-fault'), 'fail')
})

t.test('a rule breaks the connection like X-Svc-Abort [RULE-8]', async t => {
  clear(t)
  for (const abort of ['reset', 'close', 'empty', 'truncate', 'bad-chunk']) {
    await putRule(server, 'cut', { match: { path: '/echo' }, then: { abort } })
    await t.rejects(send(server, '/echo'), abort)
  }
  t.match((await send(server, '/_svc/requests?path_prefix=/echo&limit=1')).json, {
    requests: [{ rule: 'cut', fault: 'abort' }],
  })
})

t.test('header faults win, and the control plane has no rules [RULE-9]', async t => {
  clear(t)
  await putRule(server, 'all', { then: { fail: 500 } })
  const failed = await send(server, '/echo', { headers: { 'x-svc-fail': '418' } })
  t.equal(failed.status, 418)
  t.equal(failed.headers.get('x-svc-rule'), null)
  t.match((await send(server, '/_svc/rules/all')).json, { matches: 0 }, 'rules are not evaluated then')
  for (const path of ['/_svc/rules', '/_svc/config', '/%5Fsvc/config'])
    t.equal((await send(server, path)).status, 200, path)
  const preflight = await send(server, 'OPTIONS /echo', {
    headers: { origin: 'http://a.example', 'access-control-request-method': 'GET' },
  })
  t.equal(preflight.status, 200)
})

t.test('the body is read for conditions on it, and only then [RULE-10]', async t => {
  clear(t)
  await putRule(server, 'gpt', {
    match: { method: 'POST', path: '/echo/**', json: { '/model': 'a' } },
    then: { fail: 503 },
  })
  t.equal((await send(server, 'POST /echo', { body: { model: 'a' } })).status, 503)
  const passed = await send(server, 'POST /echo', { body: { model: 'b' } })
  t.equal(passed.status, 200)
  t.match(passed.json, { body: { body: '{"model":"b"}' } }, 'the route gets the body')
  t.equal((await send(server, 'POST /echo', { body: 'x'.repeat(1_100_000) })).status, 413)
  const { requests } = (await send(server, '/_svc/requests?path_prefix=/echo&limit=3')).json as {
    requests: { status: number }[]
  }
  t.match(
    requests.sort((one, other) => one.status - other.status),
    [{ status: 200, rule: null }, { status: 413 }, { status: 503, rule: 'gpt' }],
  )
  const headOfRequest = 'POST /other HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
  await putRule(server, 'head', { match: { path: '/other' }, then: { fail: 507 } })
  t.match(await firstLine(headOfRequest), /507/, 'answered before the body ends')
})

t.test('quiet requests are neither captured nor logged [RULE-11]', async t => {
  clear(t)
  await putRule(server, 'load', { match: { path: '/echo/quiet' }, then: { quiet: true } })
  t.equal((await send(server, '/echo/quiet')).headers.get('x-svc-rule'), 'load')
  await send(server, '/echo/loud')
  server.flush()
  t.match((await send(server, '/_svc/requests?path_prefix=/echo/&limit=1')).json, {
    requests: [{ path: '/echo/loud' }],
  })
  t.notOk(server.lines.some(line => line.includes('/echo/quiet')))
})

t.test(
  'a quiet rule hides requests from the log of the operator, except in public mode [RULE-11, QUIET-1]',
  async t => {
    for (const isPublic of [false, true]) {
      const other = await serve(t, { env: { SVC_PUBLIC_MODE: String(isPublic), SVC_LOG_LEVEL: 'info' } })
      await putRule(other, 'hide', { match: { path: '/echo/quiet' }, then: { quiet: true, delay: 1 } }, 'stranger')
      t.equal((await send(other, '/echo/quiet', { session: 'stranger' })).headers.get('x-svc-rule'), 'hide')
      await send(other, '/echo/loud', { session: 'stranger' })
      const { json } = await send(other, '/_svc/requests?session=stranger', { session: 'stranger' })
      t.strictSame(
        (json as { requests: { path: string }[] }).requests
          .map(({ path }) => path)
          .filter(path => path.startsWith('/echo')),
        ['/echo/loud'],
      )
      const written = other.lines.filter(line => line.includes('/echo/'))
      t.equal(written.filter(line => line.includes('/echo/loud')).length, 1)
      t.equal(written.filter(line => line.includes('/echo/quiet') && line.includes('hide')).length, isPublic ? 1 : 0)
    }
  },
)

t.test('WebSocket handshakes have rules [RULE-12]', async t => {
  clear(t)
  const open = (): Promise<string> =>
    new Promise(resolve => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`)
      socket.on('open', () => {
        socket.close()
        resolve('open')
      })
      socket.on('error', error => resolve(error.message))
    })
  t.equal(await open(), 'open')
  await putRule(server, 'ok', { match: { path: '/ws' }, then: { respond: { status: 200 } } })
  t.equal(await open(), 'open', 'a handshake can only be refused')
  await putRule(server, 'no', {
    match: { path: '/ws' },
    then: [{ respond: { status: 403, body: 'no' } }, { fail: 503 }],
  })
  t.match(await open(), /403/)
  t.match(await open(), /503/)
})

t.test('hits are counted by action [RULE-13]', async t => {
  const server = await serve(t, { plugins: ['echo'], oneProcess: 'metrics are those of one process' })
  await putRule(server, 'steps', {
    match: { path: '/echo' },
    then: [{ fail: 500 }, { delay: 1 }, { respond: {} }, { pass: true }],
  })
  for (let index = 0; index < 5; index++) await send(server, '/echo')
  const { text } = await send(server, '/_svc/metrics')
  for (const [action, count] of [
    ['fail', 1],
    ['delay', 1],
    ['respond', 1],
    ['abort', 0],
    ['reply', 0],
  ])
    t.match(text, `svc_rule_hits_total{action="${action}"} ${count}`)
})

/** Sends bytes and returns the status line. */
function firstLine(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(bytes))
    socket.once('data', data => {
      resolve(data.toString().split('\r\n', 1)[0]!)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
