/** Scenarios, steps of plugins, and responses with several fields of one name. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { putRule, send } from '../../support/rules.ts'

const PLUGIN = `import { definePlugin, describe } from 'svc/plugin'
import { asText, checkReferences, expandText, RULE_REFERENCES } from 'svc/toolkit'
export default definePlugin({
  title: 'Steps', paths: ['/stepped'],
  register(app, svc) {
    const steps = svc.use('testing.steps')
    steps.register({
      name: 'shout',
      answers: true,
      read(value, at) {
        checkReferences(value, RULE_REFERENCES, at)
        return asText(value, at, 100, 1)
      },
      act(request, reply, { value, hit, lookUp, rule }) {
        if (value === 'silent') return
        if (value === 'broken') throw new Error('broken on purpose')
        const text = expandText(value as string, lookUp, svc.budgets.output(request))
        return reply.code(203).header('x-hit', String(hit)).send({ rule, text: text.toUpperCase(), body: String(request.body), url: request.url })
      },
    })
    steps.register({ name: 'note', read: (value, at) => asText(value, at, 100) })
    steps.register({ name: 'choose', answers: true, read: (value, at) => asText(value, at, 100) })
    app.post('/stepped', describe({ summary: 'Applies rules', category: 'Test', ownFail: true }), async (request, reply) => {
      const facts = { protocol: 'none', read: async () => null, takesReply: async () => false, steps: ['note', 'choose'] }
      const outcome = await svc.http.applyRules(request, reply, facts)
      if (outcome?.kind === 'answered') return reply
      const { kind, name = null, value = null, also = [] } = (outcome ?? { kind: 'none' }) as any
      return { kind, name, value, also: also.map((step: any) => [step.name, step.value, step.hit, step.lookUp('request.method')]) }
    })
  },
})
`
const plugins = pluginFolder(t, { stepped: PLUGIN })
const server = await serve(t, { env: { SVC_PLUGINS_DIR: plugins.folder } })

t.test('rules test and change the states of scenarios [RULE-30]', async t => {
  const path = '/orders/{id}'
  const rules = [
    { name: 'new', match: { method: 'GET', path, scenario: { order: 'Started' } }, then: { respond: { body: 'new' } } },
    {
      name: 'pay',
      match: { method: 'POST', path, scenario: { order: 'Started' } },
      then: { respond: { status: 201 }, scenario: { order: 'paid' } },
    },
    { name: 'again', match: { method: 'POST', path, scenario: { order: { not: 'Started' } } }, then: { fail: 409 } },
    {
      name: 'paid',
      match: { method: 'GET', path, scenario: { order: { in: ['paid', 'sent'] } } },
      then: { respond: { body: 'paid' } },
    },
  ]
  for (const { name, ...rule } of rules) await putRule(server, name, rule)
  const get = async (session?: string): Promise<string> =>
    (await send(server, '/orders/7', session === undefined ? {} : { session })).text
  t.equal(await get('a'), 'new')
  t.equal((await send(server, 'POST /orders/7', { session: 'a' })).status, 201)
  t.equal(await get('a'), 'paid')
  t.equal((await send(server, 'POST /orders/7', { session: 'a' })).status, 409)
  t.equal(await get('b'), 'new', 'sessions have their own states')
  t.match((await send(server, '/_svc/scenarios', { session: 'a' })).json, {
    count: 1,
    scenarios: [{ name: 'order', state: 'paid', scope: 'session', session: 'a' }],
  })
  t.match((await send(server, 'PUT /_svc/scenarios/order', { session: 'b', body: { state: 'sent' } })).json, {
    state: 'sent',
    session: 'b',
  })
  t.equal(await get('b'), 'paid')
  await send(server, 'POST /_svc/reset', { session: 'b', body: { kinds: ['rules'] } })
  t.equal(await get('b'), 'new')
  t.match(
    (await send(server, '/_svc/rules/paid')).json,
    { hits: 1, matches: 1 },
    'the counters of the session were reset',
  )
  t.match((await send(server, 'PUT /_svc/scenarios/order', { session: 'b', body: { state: '' } })).json, {
    error: 'invalid_scenario',
    at: 'state',
  })
  t.match((await send(server, `PUT /_svc/scenarios/${'x'.repeat(65)}`, { session: 'b', body: { state: 'a' } })).json, {
    at: 'name',
  })
  for (const [rule, at] of [
    [{ then: { scenario: { a: 1 } } }, 'then.scenario.a'],
    [{ match: { any: [{ scenario: { a: 'b' } }] }, then: { pass: true } }, 'match.any[0].scenario'],
  ] as const)
    t.match((await send(server, 'PUT /_svc/rules/wrong', { body: rule })).json, { error: 'invalid_rule', at })
  await send(server, 'DELETE /_svc/rules')
})

t.test('of requests at once, exactly one changes a scenario [RULE-30]', async t => {
  const match = (state: string): object => ({ path: '/step', scenario: { n: state } })
  await putRule(server, 'third', { match: match('two'), then: { respond: { body: '3' }, scenario: { n: 'three' } } })
  await putRule(server, 'second', { match: match('one'), then: { respond: { body: '2' }, scenario: { n: 'two' } } })
  await putRule(server, 'first', { match: match('Started'), then: { respond: { body: '1' }, scenario: { n: 'one' } } })
  const replies = await Promise.all(Array.from({ length: 12 }, () => send(server, '/step', { session: 'race' })))
  const texts = replies.map(({ text, status }) => (status === 200 ? text : 'passed'))
  t.strictSame(texts.filter(text => text !== 'passed').sort(), ['1', '2', '3'])
  for (const name of ['first', 'second', 'third'])
    t.match((await send(server, `/_svc/rules/${name}`)).json, { hits: 1 }, name)
  await send(server, 'DELETE /_svc/rules')
})

t.test('a session has a bounded number of scenarios [RULE-30]', async t => {
  for (let index = 0; index < 100; index++)
    await send(server, `PUT /_svc/scenarios/s${index}`, { session: 'full', body: { state: 'on' } })
  const full = await send(server, 'PUT /_svc/scenarios/more', { session: 'full', body: { state: 'on' } })
  t.equal(full.status, 429)
  t.match(full.json, { error: 'too_many_scenarios', limit: 100 })
  await putRule(server, 'more', {
    match: { path: '/more' },
    then: { respond: { body: 'x' }, scenario: { more: 'on' } },
  })
  const reply = await send(server, '/more', { session: 'full' })
  t.equal(reply.text, 'x')
  t.equal(reply.headers.get('x-svc-ignored'), 'more; too_many_scenarios')
  await send(server, 'DELETE /_svc/rules')
})

t.test('plugins add steps [RULE-31]', async t => {
  await putRule(server, 'loud', { match: { path: '/loud/{name}' }, then: { shout: 'hi {{request.path.name}}' } })
  const reply = await send(server, 'POST /loud/ada?x=1', { body: 'sent' })
  t.equal(reply.status, 203)
  t.strictSame(reply.json, { rule: 'loud', text: 'HI ADA', body: 'sent', url: '/loud/ada?x=1' })
  t.equal(reply.headers.get('x-svc-rule'), 'loud')
  t.equal(reply.headers.get('x-hit'), '0')
  await putRule(server, 'echoed', { match: { path: '/echo' }, then: { shout: 'x', delay: 1 } })
  const instead = await send(server, 'GET /echo')
  t.match(instead.json, { text: 'X' }, 'it answers in place of the route')
  for (const value of ['silent', 'broken']) {
    await putRule(server, 'echoed', { match: { path: '/echo' }, then: { shout: value } })
    t.equal((await send(server, 'GET /echo')).status, 500, value)
    await putRule(server, 'loud', { match: { path: '/loud' }, then: { shout: value } })
    t.equal((await send(server, 'GET /loud')).status, 500, value)
  }
  for (const [step, at, details] of [
    [{ shout: '' }, 'then.shout', /1 to 100/],
    [{ shout: '{{reqest.path}}' }, 'then.shout', /did you mean "request"/],
    [{ shout: 'a', fail: 503 }, 'then.shout', /at most one of/],
    [{ shuot: 'a' }, 'then.shuot', /did you mean "shout"/],
  ] as const)
    t.match((await send(server, 'PUT /_svc/rules/wrong', { body: { then: step } })).json, {
      error: 'invalid_rule',
      at,
      details,
    })
  t.match((await send(server, '/_svc/metrics')).text, /svc_rule_hits_total\{action="shout"\} [1-9]/)
  await send(server, 'DELETE /_svc/rules')
})

t.test('steps without an answer of their own are for the routes that ask for them [RULE-31]', async t => {
  await putRule(server, 'noted', { match: { method: 'POST' }, then: { note: 'n', pass: true } })
  const asked = await send(server, 'POST /stepped')
  t.strictSame(asked.json, { kind: 'pass', name: null, value: null, also: [['note', 'n', 0, 'POST']] })
  const other = await send(server, 'POST /echo')
  t.equal(other.status, 200)
  t.equal(other.headers.get('x-svc-rule'), null, 'the rule does not match elsewhere')
  await putRule(server, 'noted', { match: {}, then: { choose: 'a', note: 'n' } })
  t.match((await send(server, 'POST /stepped')).json, {
    kind: 'step',
    name: 'choose',
    value: 'a',
    also: [['note', 'n']],
  })
  await putRule(server, 'noted', { match: { path: '/stepped' }, then: { shout: 'x' } })
  t.match((await send(server, 'POST /stepped')).json, { text: 'X' })
  await send(server, 'DELETE /_svc/rules')
})

t.test('responses have several fields of one name, an order, and a reason [RULE-32]', async t => {
  await putRule(server, 'cookies', {
    match: { path: '/c' },
    then: { respond: { headers: { 'Set-Cookie': ['a=1', 'b={{count}}'], 'X-One': '1' }, reason: 'Fine So Far' } },
  })
  const reply = await fetch(`${server.url}/c`)
  t.strictSame(reply.headers.getSetCookie(), ['a=1', 'b=1'])
  t.equal(reply.statusText, 'Fine So Far')
  await putRule(server, 'cookies', {
    match: { path: '/c' },
    then: {
      respond: {
        headers: [
          ['X-B', '1'],
          ['X-A', '2'],
          ['X-B', '3'],
        ],
        body: '<p>',
        content_type: null,
      },
    },
  })
  const raw = await rawHead(server.url, '/c')
  t.match(raw, /X-B: 1\r\nX-A: 2\r\nX-B: 3\r\n/)
  t.notMatch(raw, /\ncontent-type:/i)
  t.match(raw, /content-security-policy: sandbox/i)
  for (const [headers, at] of [
    [{ 'set-cookie': [] }, 'then.respond.headers.set-cookie'],
    [[['a']], 'then.respond.headers[0]'],
    [[['X-Svc-Rule', 'x']], 'then.respond.headers[0]'],
    [{ a: ['ä'] }, 'then.respond.headers.a'],
  ] as const)
    t.match((await send(server, 'PUT /_svc/rules/wrong', { body: { then: { respond: { headers } } } })).json, {
      error: 'invalid_rule',
      at,
    })
  await send(server, 'DELETE /_svc/rules')
})

t.test('templates refer to text bodies, forms and long integers [RULE-23]', async t => {
  const respond = (body: unknown): Promise<unknown> =>
    putRule(server, 'made', { match: { path: '/made' }, then: { respond: { body } } })
  await respond('got {{request.body}} by {{request.scheme}} from {{request.client_ip}}')
  t.equal((await send(server, 'POST /made', { body: 'a text' })).text, 'got a text by http from 127.0.0.1')
  await respond({ id: '{{request.body.id}}', all: '{{request.body}}' })
  t.equal(
    (await send(server, 'POST /made', { body: '{"id":12345678901234567890}' })).text,
    '{"id":12345678901234567890,"all":{"id":12345678901234567890}}',
  )
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  t.strictSame((await send(server, 'POST /made', { body: 'id=7&x=1&x=2', headers })).json, {
    id: '7',
    all: { id: '7', x: ['1', '2'] },
  })
  await respond('{{request.url}} {{request.segments.0}} {{request.query.a|none}} {{request.cookie.c}}')
  t.equal((await send(server, '/made?b=1', { headers: { cookie: 'c=d' } })).text, '/made?b=1 made none d')
  await respond({ n: '{{random.int.1.6}}', hex: '{{random.hex.8}}' })
  const one = (await send(server, '/made', { session: 'r1' })).text
  t.match(one, /^\{"n":[1-6],"hex":"[0-9a-f]{8}"\}$/)
  const wrong = await send(server, 'PUT /_svc/rules/wrong', {
    body: { then: { respond: { body: ['{{request.bdy.a}}'] } } },
  })
  t.match(wrong.json, { error: 'invalid_rule', at: 'then.respond.body[0]', details: /did you mean "request.body"/ })
  await putRule(server, 'made', {
    match: { path: '/made' },
    then: { respond: { body: '{{handlebars}}', template: false } },
  })
  t.equal((await send(server, '/made')).text, '{{handlebars}}')
  await respond(Array.from({ length: 400 }, () => '{{request.body}}'))
  const large = await send(server, 'POST /made', { body: 'x'.repeat(60_000) })
  t.equal(large.status, 500)
  t.match(large.json, { error: 'template_too_large' })
})

async function rawHead(url: string, path: string): Promise<string> {
  const { connect } = await import('node:net')
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
    )
    let text = ''
    socket.on('data', data => (text += data.toString('latin1')))
    socket.on('end', () => resolve(text.slice(0, text.indexOf('\r\n\r\n') + 4)))
    socket.on('error', reject)
  })
}
