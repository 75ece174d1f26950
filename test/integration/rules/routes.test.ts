/** The routes of rules. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { putRule, send } from '../../support/rules.ts'

const server = await serve(t)

t.test('stores, shows, changes and removes rules [RULE-14]', async t => {
  const rule = { match: { path: '/echo' }, then: [{ fail: 503, times: 2 }], description: 'd' }
  const created = await send(server, 'PUT /_svc/rules/busy', { body: rule })
  t.equal(created.status, 201)
  t.equal(created.headers.get('content-type'), 'application/json; charset=utf-8')
  const { created_at: createdAt, ...view } = created.json as { created_at: string }
  t.match(createdAt, /^\d{4}-\d\d-\d\dT.*Z$/)
  t.strictSame(view, {
    name: 'busy',
    match: { path: '/echo' },
    then: [{ fail: 503, times: 2 }],
    priority: 0,
    skip: 0,
    every: 1,
    sample: 1,
    seed: '',
    loop: false,
    count: 'session',
    enabled: true,
    description: 'd',
    scope: 'instance',
    session: null,
    source: 'api',
    file: null,
    line: null,
    matches: 0,
    hits: 0,
    step: 0,
    state: 'active',
    last_hit_at: null,
    expires_at: null,
  })
  await send(server, '/echo')
  t.match((await send(server, '/_svc/rules/busy')).json, { matches: 1, hits: 1, last_hit_at: /Z$/ })
  const patched = await send(server, 'PATCH /_svc/rules/busy', { body: { enabled: false, description: null } })
  t.match(patched.json, { matches: 1, hits: 1, state: 'disabled' }, 'the counters go on')
  t.notOk('description' in (patched.json as object))
  t.equal((await send(server, '/echo')).status, 200, 'a disabled rule does not act')
  const replaced = await send(server, 'PUT /_svc/rules/busy', { body: rule })
  t.equal(replaced.status, 200)
  t.match(replaced.json, { matches: 0, hits: 0 }, 'the counters are reset')
  t.strictSame((await send(server, 'DELETE /_svc/rules/busy')).json, { removed: 1 })
  const gone = await send(server, '/_svc/rules/busy')
  t.equal(gone.status, 404)
  t.match(gone.json, { error: 'unknown_rule', name: 'busy' })
  await putRule(server, 'r1', { then: { pass: true } }, 'names')
  for (const [name, meant] of [
    ['R2', 'r1'],
    ['zz', undefined],
    ['busy', undefined],
  ] as const)
    t.strictSame((await send(server, `/_svc/rules/${name}?session=names`)).json, {
      error: 'unknown_rule',
      name,
      ...(meant === undefined ? {} : { did_you_mean: meant }),
    })
  for (const method of ['PATCH', 'DELETE'])
    t.equal((await send(server, `${method} /_svc/rules/busy`, { body: {} })).status, 404, method)
})

t.test('stores a list of rules, all or none [RULE-15]', async t => {
  const posted = await send(server, 'POST /_svc/rules', {
    body: [{ then: { fail: 500 } }, { name: 'r1', then: { fail: 501 } }, { then: { delay: 1 } }],
  })
  t.equal(posted.status, 201)
  t.match(posted.json, { count: 3, rules: [{ name: 'r2' }, { name: 'r1' }, { name: 'r3' }] })
  const wrong = await send(server, 'POST /_svc/rules', {
    body: [{ name: 'good', then: { fail: 500 } }, { then: { fail: 42 } }],
  })
  t.equal(wrong.status, 400)
  t.match(wrong.json, { error: 'invalid_rule', at: '[1].then.fail' })
  t.match(
    (
      await send(server, 'POST /_svc/rules', {
        body: [
          { name: 'x', then: { fail: 500 } },
          { name: 'x', then: { fail: 500 } },
        ],
      })
    ).json,
    { at: '[1].name' },
  )
  t.equal((await send(server, '/_svc/rules/good')).status, 404)
  t.strictSame((await send(server, 'DELETE /_svc/rules')).json, { removed: 3 })
  t.strictSame((await send(server, 'DELETE /_svc/rules')).json, { removed: 0 })
})

t.test('reports the first mistake with its place [RULE-16]', async t => {
  const step = { fail: 500 }
  const rows: [rule: unknown, at: string, details: RegExp][] = [
    ['text', '', /expected a rule/],
    [{}, 'then', /a step or a list of steps/],
    [{ then: [] }, 'then', /list of 1 to 50/],
    [{ then: {} }, 'then', /expected a step/],
    [{ then: [step, 5] }, 'then[1]', /expected a step/],
    [{ then: { fial: 500 } }, 'then.fial', /did you mean "fail"/],
    [{ then: { fail: 399 } }, 'then.fail', /from 400 to 599/],
    [{ then: { fail: 'rate_limit' } }, 'then.fail', /from 400 to 599/],
    [{ then: { fail: 500, abort: 'reset' } }, 'then.abort', /at most one of/],
    [{ then: { abort: 'rest' } }, 'then.abort', /one of reset/],
    [{ then: { fail: 500, times: 2 } }, 'then.times', /times of the rule/],
    [{ then: [{ fail: 500, times: 'always' }, step] }, 'then[0].times', /only the last/],
    [{ then: [{ fail: 500, times: 0 }] }, 'then[0].times', /of at least 1/],
    [{ then: { pass: false } }, 'then.pass', /expected true/],
    [{ then: { quiet: 1 } }, 'then.quiet', /true or false/],
    [{ then: { pass: true, retry_after: 1 } }, 'then.retry_after', /belongs to fail/],
    [{ then: { pass: true, code: 'x' } }, 'then.code', /belongs to fail/],
    [{ then: { fail: 500, type: 'x'.repeat(101) } }, 'then.type', /at most 100/],
    [{ then: { fail: 500, retry_after: 86_401 } }, 'then.retry_after', /0 to 86400/],
    [{ then: { fail: 500, message: 'x'.repeat(501) } }, 'then.message', /at most 500/],
    [{ then: { delay: -1 } }, 'then.delay', /milliseconds/],
    [{ then: { delay: 1.5 } }, 'then.delay', /whole milliseconds/],
    [{ then: { delay: { unifrom: [1, 2] } } }, 'then.delay.unifrom', /did you mean "uniform"/],
    [{ then: { delay: { uniform: [2, 1] } } }, 'then.delay.uniform', /lower bound first/],
    [{ then: { delay: { lognormal: { median: 0, p99: 1 } } } }, 'then.delay.lognormal', /median above 0/],
    [{ then: { delay: { normal: { mean: 1 } } } }, 'then.delay.normal.sd', /milliseconds/],
    [{ then: { delay: { percentiles: { p50: 5, p90: 1 } } } }, 'then.delay.percentiles', /do not decrease/],
    [{ then: { delay: { percentiles: { q50: 5 } } } }, 'then.delay.percentiles.q50', /percentile/],
    [{ then: { reply: { text: 'x' } } }, 'then.reply', /no enabled plugin/],
    [{ then: { respond: { stauts: 1 } } }, 'then.respond.stauts', /did you mean "status"/],
    [{ then: { respond: { status: 101 } } }, 'then.respond.status', /200 to 599/],
    [{ then: { respond: { body: 'a', chunks: [] } } }, 'then.respond.chunks', /at most one of/],
    [{ then: { respond: { chunks: [] } } }, 'then.respond.chunks', /1 to 200/],
    [{ then: { respond: { chunks: [{ text: 'a', base64: 'YQ==' }] } } }, 'then.respond.chunks[0]', /exactly one/],
    [
      { then: { respond: { chunks: [{ after_ms: 30_001, text: 'a' }] } } },
      'then.respond.chunks[0].after_ms',
      /0 to 30000/,
    ],
    [{ then: { respond: { body_base64: 'a?' } } }, 'then.respond.body_base64', /base64/],
    [{ then: { respond: { headers: { Connection: 'x' } } } }, 'then.respond.headers.Connection', /belongs to/],
    [{ then: { respond: { headers: { 'X-Svc-Rule': 'x' } } } }, 'then.respond.headers.X-Svc-Rule', /belongs to/],
    [
      { then: { respond: { headers: { 'Service-Worker-Allowed': '/' } } } },
      'then.respond.headers.Service-Worker-Allowed',
      /belongs to/,
    ],
    [{ then: { respond: { headers: { 'X-A': 'a\r\nb' } } } }, 'then.respond.headers.X-A', /printable/],
    [{ then: step, priorty: 1 }, 'priorty', /did you mean "priority"/],
    [{ then: step, priority: 1001 }, 'priority', /-1000 to 1000/],
    [{ then: step, skip: -1 }, 'skip', /at least 0/],
    [{ then: step, every: 0 }, 'every', /at least 1/],
    [{ then: step, sample: 0 }, 'sample', /above 0/],
    [{ then: step, seed: 'x'.repeat(65) }, 'seed', /at most 64/],
    [{ then: step, times: 0 }, 'times', /at least 1/],
    [{ then: step, loop: true }, 'loop', /needs a list/],
    [{ then: [{ fail: 500, times: 'always' }], loop: true }, 'loop', /never begins again/],
    [{ then: step, count: 'all' }, 'count', /session or instance/],
    [{ then: step, expires_in_secs: 86_401 }, 'expires_in_secs', /1 to 86400/],
    [{ then: step, enabled: 'yes' }, 'enabled', /true or false/],
    [{ then: step, description: 'x'.repeat(201) }, 'description', /at most 200/],
    [{ then: step, match: { path: 5 } }, 'match.path', /starts with/],
    [{ then: step, match: { status: 200 } }, 'match.status', /filters and verifications/],
    [{ then: { respond: { body: 'x'.repeat(65_536) } } }, '', /at most 65536 bytes/],
    [{ then: step, name: 'other' }, 'name', /the name in the path/],
  ]
  for (const [rule, at, details] of rows) {
    const { status, json } = await send(server, 'PUT /_svc/rules/x', { body: JSON.stringify(rule) })
    t.equal(status, 400, JSON.stringify(rule).slice(0, 80))
    t.match(json, { error: 'invalid_rule', at, details }, JSON.stringify(rule).slice(0, 80))
  }
  t.match((await send(server, 'PUT /_svc/rules/a%20b', { body: { then: step } })).json, { at: 'name' })
  t.match((await send(server, 'PUT /_svc/rules/x', { body: '{' })).json, { error: 'invalid_json' })
  t.match((await send(server, 'PUT /_svc/rules/x', { body: `${'['.repeat(3000)}${']'.repeat(3000)}` })).json, {
    error: 'invalid_rule',
  })
  t.match((await send(server, '/_svc/rules?sesion=a')).json, { error: 'unknown_parameter', did_you_mean: 'session' })
  t.match((await send(server, '/_svc/rules?session=a%20b')).json, { error: 'invalid_session' })
  t.match((await send(server, '/_svc/rules?scope=all')).json, { error: 'invalid_scope' })
})

t.test('all mistakes of a rule are reported at once, with the nearest alternatives [RULE-33]', async t => {
  const rule = {
    match: { pth: '/x', method: 'GET' },
    then: [{ fial: 429 }, { fail: 'nope', times: 1 }, { delay: 'x' }],
    priority: 'high',
    thn: 1,
  }
  const wrong = await send(server, 'PUT /_svc/rules/x', { body: rule })
  t.equal(wrong.status, 400)
  const { at, problems } = wrong.json as { at: string; problems: { at: string; details: string }[] }
  t.strictSame(
    problems.map(problem => problem.at),
    ['thn', 'then[0].fial', 'then[1].fail', 'then[2].delay', 'match.pth', 'priority'],
  )
  t.equal(at, 'thn', 'the first one is where it always was')
  t.match(problems[1]!.details, /did you mean "fail"/)
  t.ok(problems[2]!.details.length < 120, problems[2]!.details)
  const single = await send(server, 'PUT /_svc/rules/x', { body: { then: { fail: 42 } } })
  t.notOk('problems' in (single.json as object))
  const list = await send(server, 'POST /_svc/rules', { body: [{ then: { fail: 42 }, skip: -1 }] })
  t.match(list.json, { problems: [{ at: '[0].then.fail' }, { at: '[0].skip' }] })
  const verification = await send(server, 'POST /_svc/verify', { body: { match: { pth: '/x' }, at_lest: 1 } })
  t.match(verification.json, { error: 'invalid_verification', problems: [{ at: 'at_lest' }, { at: 'match.pth' }] })
  const cut = await send(server, 'PUT /_svc/rules/x', { body: '{"then": {"fail": 429,, }}' })
  t.match(cut.json, { error: 'invalid_json', details: /position \d+/ })
})

t.test('a rule belongs to a session or the instance [RULE-17]', async t => {
  await putRule(server, 'x', { then: { fail: 500 } }, 'mine')
  t.match((await send(server, '/_svc/rules/x?session=mine')).json, { scope: 'session', session: 'mine' })
  t.equal((await send(server, '/_svc/rules/x?session=other')).status, 404)
  t.equal((await send(server, '/_svc/rules/x', { session: 'mine' })).status, 200)
  t.equal(
    (
      await send(server, 'PUT /_svc/rules/x?scope=instance', {
        session: 'mine',
        body: { match: { path: '/z' }, then: { fail: 501 } },
      })
    ).status,
    201,
  )
  t.match((await send(server, '/_svc/rules/x?scope=instance', { session: 'mine' })).json, { scope: 'instance' })
  t.match((await send(server, '/_svc/rules', { session: 'mine' })).json, { count: 2, session: 'mine' })
  t.match((await send(server, '/_svc/rules')).json, { count: 1, session: null })
  t.strictSame((await send(server, 'DELETE /_svc/rules', { session: 'mine' })).json, { removed: 1 })
  t.strictSame((await send(server, 'DELETE /_svc/rules')).json, { removed: 1 })
})

t.test('rules end at their time, and are bounded in number [RULE-18]', async t => {
  const rule = { match: { path: '/echo' }, then: { fail: 500 } }
  await putRule(server, 'short', { ...rule, expires_in_secs: 600 }, 's')
  t.match((await send(server, '/_svc/rules/short?session=s')).json, { expires_at: /Z$/ })
  t.equal((await send(server, '/echo', { session: 's' })).status, 500)
  await putRule(server, 'short', { ...rule, expires_in_secs: 1 }, 's')
  await until(async () => (await send(server, '/echo', { session: 's' })).status === 200, 'the end of the rule')
  t.equal((await send(server, '/_svc/rules/short?session=s')).status, 404)
  const many = Array.from({ length: 100 }, () => ({ match: { path: '/nothing' }, then: { fail: 500 } }))
  t.equal((await send(server, 'POST /_svc/rules?session=full', { body: many })).status, 201)
  const more = await send(server, 'POST /_svc/rules?session=full', { body: many.slice(0, 1) })
  t.equal(more.status, 429)
  t.strictSame(more.json, { error: 'too_many_rules', limit: 100 })
})

t.test('rules of svc.yaml are reported and kept apart [RULE-19]', async t => {
  const yaml = `plugins: {enable: [echo]}
rules:
  - name: third
    match: { path: /echo }
    every: 3
    then: { fail: 503 }
  - name: wrong
    then: { fial: 503 }
  - name: third
    then: { fail: 500 }
  - name: mine
    session: s1
    match: { path: /echo }
    then: { fail: 418 }
`
  const server = await serve(t, { yaml })
  t.match(server.problems(), [
    { at: 'rules[1].then.fial', line: 8, message: /did you mean "fail"/ },
    { at: 'rules[2].name', line: 9, message: /twice/ },
  ])
  const list = (await send(server, '/_svc/rules')).json
  t.match(list, {
    count: 1,
    rules: [{ name: 'third', source: 'svc.yaml', line: 3, file: /svc\.yaml$/, scope: 'instance' }],
  })
  t.match((await send(server, '/_svc/rules', { session: 's1' })).json, {
    count: 2,
    rules: [{ name: 'mine', session: 's1' }, {}],
  })
  t.equal((await send(server, '/echo', { session: 's1' })).status, 418)
  for (const [method, body] of [
    ['PUT', { then: { fail: 500 } }],
    ['PATCH', { enabled: false }],
    ['DELETE', undefined],
  ] as const) {
    const { status, json } = await send(server, `${method} /_svc/rules/third`, body === undefined ? {} : { body })
    t.equal(status, 409, method)
    t.match(json, { error: 'rule_from_file', source: 'svc.yaml' })
  }
  await send(server, '/echo')
  await send(server, '/echo')
  await send(server, 'POST /_svc/reload?force=1')
  t.equal((await send(server, '/echo')).status, 503, 'the counters go on after a reload')
})

t.test('rules stored over HTTP outlive a reload [RULE-20]', async t => {
  await putRule(server, 'kept', { match: { path: '/echo' }, then: [{ fail: 503, times: 2 }] })
  t.equal((await send(server, '/echo')).status, 503)
  await send(server, 'POST /_svc/reload?force=1')
  t.equal((await send(server, '/echo')).status, 503)
  t.equal((await send(server, '/echo')).status, 200)
  await send(server, 'DELETE /_svc/rules')
})

t.test('in public mode a caller has the rules of its own session [RULE-21]', async t => {
  const open = await serve(t, { plugins: ['echo'], env: { SVC_PUBLIC_MODE: '1' } })
  t.equal((await send(open, 'PUT /_svc/rules/x', { body: { then: { fail: 500 } } })).status, 403)
  t.match((await send(open, '/_svc/rules')).json, { error: 'session_required' })
  t.equal((await send(open, 'PUT /_svc/rules/x', { session: 'a', body: { then: { fail: 500 } } })).status, 201)
  t.match((await send(open, '/_svc/rules?session=b')).json, { count: 0 })
  const twenty = Array.from({ length: 20 }, () => ({ then: { delay: 1 } }))
  t.equal((await send(open, 'POST /_svc/rules', { session: 'a', body: twenty })).status, 429)
  const guarded = await serve(t, { plugins: ['echo'], env: { SVC_PUBLIC_MODE: '1', SVC_ADMIN_TOKEN: 'secret-token' } })
  const admin = { 'x-svc-admin-token': 'secret-token' }
  t.equal((await send(guarded, 'PUT /_svc/rules/x', { body: { then: { fail: 500 } } })).status, 401)
  t.equal(
    (await send(guarded, 'PUT /_svc/rules/x', { body: { match: { path: '/z' }, then: { fail: 500 } }, headers: admin }))
      .status,
    201,
  )
  t.match((await send(guarded, '/_svc/rules?session=a')).json, { count: 0 }, 'rules of the instance are not shown')
  t.match((await send(guarded, '/_svc/rules', { headers: admin })).json, { count: 1 })
})
