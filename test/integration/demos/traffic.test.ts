/**
 * Every kind of traffic is sent, and what comes back is judged, straight to svc (sheet demos, 3.1 and 3.2).
 * Takes long: demos run whole.
 */
import t, { type Test } from 'tap'
import { LLM_FORMATS } from '../../../plugins/demos/file/demo.ts'
import type { DemoResult } from '../../../plugins/demos/run/demo-run.ts'
import { PRICES, stating } from '../../support/demo-conversations.ts'
import { startDemoProxy } from '../../support/demo-proxy.ts'
import { demoOf, demoRunner } from '../../support/demo-runner.ts'
import { serve } from '../../support/server.ts'

/** Runs steps straight to svc: all are seen. */
async function seen(t: Test, plugins: readonly string[], steps: unknown, further: object = {}): Promise<void> {
  const server = await serve(t, { plugins: ['demos', 'echo', ...plugins], env: { SVC_GRPC_ON_HTTP: 'true' } })
  const result = await (await demoRunner(server.url, demoOf(steps, further)))(null)
  t.equal(result.reason, null)
  t.equal(result.verdict, 'seen')
}

for (const format of LLM_FORMATS)
  t.test(`${format}: text, finish and tokens are read, whole and streamed`, async t => {
    const plugins = ['llm', ...(format === 'responses' ? ['llm-openai'] : [`llm-${format}`])]
    // Converse has its stream at another path, in frames.
    const streams = format === 'bedrock' ? [false] : [false, true]
    const model =
      format === 'anthropic' ? 'claude-sonnet-4-5' : format === 'gemini' ? 'gemini-2.5-flash' : 'gpt-4o-mini'
    await seen(
      t,
      plugins,
      streams.map(stream => ({
        title: stream ? 'streamed' : 'whole',
        send: { llm: { format, model, prompt: 'Name a color.', system: 'Be brief.', max_tokens: 50, stream } },
        expect: [
          { responses: { status: 200, text: { matches: '\\w' }, finish: { exists: true } } },
          { arrivals: { exactly: 1, body: { contains: 'Name a color.' } } },
          { tokens: { counted: { gte: 1 }, upstream: { gte: 1 }, equal: true } },
        ],
      })),
    )
  })

t.test('mcp: the handshake is made, tools are listed and called', async t => {
  await seen(
    t,
    ['mcp'],
    [
      {
        title: 'Tools',
        send: { mcp: { path: '/mcp', do: ['list_tools', { call: 'add', arguments: { a: 2, b: 3 } }, 'ping'] } },
        expect: [
          { responses: { status: 200, exactly: 3 } },
          { responses: { text: { contains: '5' }, some: true } },
          { arrivals: { match: { body: { contains: 'tools/call' } }, exactly: 1 } },
        ],
      },
      {
        title: 'A tool that does not exist',
        send: { mcp: { path: '/mcp', do: [{ call: 'nothing-of-this-name' }] } },
        expect: [{ responses: { status: 200, json: { '/error/code': -32602 } } }],
      },
    ],
    { route: { path: '/mcp' } },
  )
})

t.test('a2a: a message, and the card', async t => {
  await seen(
    t,
    ['a2a'],
    [
      {
        title: 'Message',
        send: [{ a2a: { agent: 'echo', text: 'hello agent' } }, { a2a: { card: 'echo' } }],
        expect: [
          { responses: { of: 1, status: 200, body: { contains: 'hello agent' } } },
          { responses: { of: 2, status: 200, json: { '/name': { exists: true } } } },
        ],
      },
    ],
  )
})

t.test('websocket: messages come back', async t => {
  await seen(
    t,
    ['websocket'],
    [
      {
        title: 'Echo',
        send: { websocket: { path: '/ws', messages: ['one', 'two'], for_ms: 400 } },
        expect: [{ responses: { status: 101 } }, { events: { count: { gte: 2 }, text: { contains: 'one' } } }],
      },
    ],
  )
})

const SERVICE = 'svc.echo.v1.EchoService'

t.test('grpc: calls, streams of both sides, statuses, metadata and deadlines; gRPC-Web the same', async t => {
  for (const web of [false, true])
    await seen(
      t,
      ['grpc'],
      [
        {
          title: 'A call',
          send: {
            grpc: { service: SERVICE, method: 'Echo', message: { message: 'käse' }, deadline_ms: 9000, web },
            headers: { 'x-first': '1' },
            as: [{ headers: { 'x-second': '2' } }],
          },
          expect: [
            {
              responses: {
                status: 200,
                grpc_status: 0,
                json: { '/message': 'käse' },
                body: { contains: '"key":"x-first","value":"1"' },
              },
            },
            { arrivals: { match: { grpc: { service: SERVICE, method: 'Echo' } }, exactly: 1, 'header.x-second': '2' } },
          ],
        },
        {
          title: 'A stream of the server',
          send: { grpc: { service: SERVICE, method: 'ServerStream', message: { message: 'a', count: 3 }, web } },
          expect: [
            { responses: { grpc_status: 0, json: { '/2/message': 'a' } } },
            { events: { count: 3, order: true } },
          ],
        },
        {
          title: 'A status',
          send: { grpc: { service: SERVICE, method: 'Fail', message: { code: 7, message: 'nö' }, web } },
          expect: [{ responses: { grpc_status: 7, grpc_message: 'nö', body: '' } }],
        },
        {
          title: 'A stream of the client',
          send: { grpc: { service: SERVICE, method: 'ClientStream', message: [{ message: 'a' }, { message: 'b' }] } },
          expect: [{ responses: { grpc_status: 0, json: { '/message': 'a b' } } }],
        },
      ],
      { route: { path: `/${SERVICE}/Echo` }, settings: { SVC_GRPC_ON_HTTP: 'true' } },
    )
})

t.test('grpc: what svc does not have is not judged, and neither are settings that do not hold', async t => {
  const server = await serve(t, { plugins: ['demos', 'grpc'], env: { SVC_GRPC_ON_HTTP: 'true' } })
  const reasonOf = async (grpc: object, further: object = {}): Promise<string | null> => {
    const demo = demoOf([{ title: 'Wrong', send: { grpc: { service: SERVICE, ...grpc } } }], {
      route: { path: `/${SERVICE}/Echo` },
      ...further,
    })
    const { verdict, reason } = await (await demoRunner(server.url, demo))(null)
    t.equal(verdict, 'not-judged')
    return reason
  }
  t.match(await reasonOf({ method: 'Nothing' }), /EchoService\/Nothing: the service has no such method/)
  t.match(await reasonOf({ method: 'Echo', message: { massage: 'a' } }), /the message has no field massage/)
  t.match(await reasonOf({ method: 'Echo', message: [{}, {}] }), /the method takes one message/)
  t.match(await reasonOf({ service: 'a.Nothing', method: 'Echo' }), /a.Nothing: svc has no such service of gRPC/)
  const further = { settings: { SVC_TRUST_FORWARD: 'true' } }
  t.match(await reasonOf({ method: 'Echo' }, further), /the upstream needs SVC_TRUST_FORWARD=true/)
})

t.test('graphql and jsonrpc go over HTTP', async t => {
  await seen(
    t,
    ['graphql', 'jsonrpc'],
    [
      {
        title: 'Operations',
        send: [{ graphql: { query: '{ __typename }' } }, { jsonrpc: { method: 'nothing' } }],
        expect: [
          { responses: { of: 1, json: { '/data/__typename': 'QueryRoot' } } },
          { responses: { of: 2, json: { '/error/code': -32601 } } },
        ],
      },
    ],
  )
})

t.test('events: a stream has its events in order, and lags behind its pace', async t => {
  await seen(
    t,
    ['sse'],
    [
      {
        title: 'Events',
        send: { path: '/sse?count=5&interval_ms=20', read: 'events' },
        expect: [{ events: { count: 5, order: true, lag_ms: { gte: 0 }, first_ms: { gte: 0 } } }],
      },
    ],
  )
})

t.test('forms, queries, credentials, redirects, cookies and HTTP/2 arrive as written', async t => {
  await seen(
    t,
    ['redirects', 'httpbin'],
    [
      {
        title: 'A form with a query',
        send: {
          method: 'POST',
          path: '/anything/{run}/form',
          query: { a: '1 2' },
          form: { x: 'y z' },
          basic: 'me:secret',
        },
        expect: [
          { arrivals: { match: { path: '/anything/{run}/form', query: { a: '1 2' } }, exactly: 1, body: 'x=y+z' } },
          {
            arrivals: {
              exactly: 1,
              'header.authorization': 'Basic bWU6c2VjcmV0',
              unchanged: ['authorization', 'body'],
            },
          },
        ],
      },
      {
        title: 'A redirect',
        send: { path: '/redirect/1', follow: true },
        expect: [{ responses: { status: 200 } }],
      },
      {
        title: 'A cookie is kept',
        send: [
          { path: '/cookies/set?taste=sweet', cookies: true },
          { path: '/anything/{run}/jar', cookies: true },
        ],
        expect: [
          {
            arrivals: {
              match: { path: '/anything/{run}/jar' },
              exactly: 1,
              'header.cookie': { contains: 'taste=sweet' },
            },
          },
        ],
      },
    ],
  )
})

t.test('rates, variants, captures, and rules that change meanwhile', async t => {
  await seen(
    t,
    [],
    [
      {
        id: 'rate',
        title: 'At a rate, by two clients in turn',
        send: {
          path: '/anything/{run}/rate',
          per_second: 50,
          times: 8,
          as: [
            { share: 0.25, headers: { 'x-who': 'a' } },
            { share: 0.75, headers: { 'x-who': 'b' } },
          ],
        },
        expect: [
          { responses: { status: 200, variant: 1, exactly: 2 } },
          { responses: { status: 200, variant: 2, exactly: 6 } },
          { arrivals: { match: { path: '/anything/{run}/rate' }, at_least: 2, at_most: 6, per: 'header.x-who' } },
          { capture: { type: 'header:content-type', method: 'json:/method' } },
        ],
      },
      {
        title: 'What was captured is sent',
        send: { path: '/anything/{run}/captured', headers: { 'x-method': '{{rate.method}}' } },
        expect: [{ arrivals: { match: { path: '/anything/{run}/captured' }, exactly: 1, 'header.x-method': 'GET' } }],
      },
      {
        title: 'The upstream fails from the start on, and is well after a while',
        rules: [{ name: 'down', match: { path: '/anything/{run}/health' }, then: { fail: 503 } }],
        during: [{ at_ms: 200, remove: ['down'] }],
        send: { path: '/anything/{run}/health', per_second: 10, for_s: 2 },
        expect: [
          { responses: { status: 503, some: true } },
          { responses: { status: 200, some: true } },
          { arrivals: { match: { path: '/anything/{run}/health' }, exactly: 20 } },
        ],
      },
      {
        title: 'Straight to svc and through the gateway are the same',
        send: { path: '/anything/same' },
        expect: [{ compare: { direct: true, same: ['status', 'header.content-type'], rounds: 2 } }],
      },
    ],
  )
})

t.test('cost: the ledger and what a header states; without prices it is not judged', async t => {
  const demo = (cost: object) =>
    demoOf([{ title: 'Cost', send: { llm: { prompt: 'Hi' } }, expect: [{ cost }] }], { route: { path: '/v1/models' } })
  const settings = { llm: { prices: [PRICES] } }
  const priced = await serve(t, { plugins: ['demos', 'llm', 'llm-openai'], settings })
  const judged = async (cost: object, url = priced.url): Promise<DemoResult> =>
    (await demoRunner(url, demo(cost)))(await startDemoProxy(t, url, { handle: stating('x-cost') }))
  t.match(await judged({ header: 'x-cost', counted: { gt: 0 }, upstream: { gt: 0 }, equal: true }), { reason: null })
  t.match(await judged({ upstream: { gt: 1 } }), {
    reason: /dollars in the ledger over 1; got \$[\d.e-]+ in the ledger/,
  })
  t.match(await judged({ header: 'x-price', equal: true }), {
    reason: /1 answer without a number in the header x-price/,
  })
  const free = await serve(t, { plugins: ['demos', 'llm', 'llm-openai'] })
  t.match(await judged({ header: 'x-cost', equal: true }, free.url), {
    verdict: /^not-judged$/,
    reason: /the upstream has no prices/,
  })
})

t.test('what is not seen is named', async t => {
  const server = await serve(t, { plugins: ['demos', 'echo'] })
  const reasonOf = async (send: object, expect: object): Promise<string | null> => {
    const run = await demoRunner(server.url, demoOf([{ title: 'Wrong', send, expect: [expect] }]))
    const { verdict, reason } = await run(null)
    t.equal(verdict, 'not-seen')
    return reason
  }
  const send = { path: '/anything/{run}/x', headers: { 'x-secret': 'one' } }
  t.match(await reasonOf(send, { responses: { json: { '/method': 'POST' } } }), /JSON \/method "POST".*is "GET"/)
  t.match(await reasonOf(send, { arrivals: { exactly: 1, absent: ['one'] } }), /"one" arrived in the header x-secret/)
  t.match(await reasonOf(send, { arrivals: { exactly: 1, 'header.x-secret': 'two' } }), /header x-secret is "one"/)
  t.match(await reasonOf(send, { capture: { token: 'json:/nothing' } }), /it lacks json:\/nothing/)
  t.match(await reasonOf(send, { compare: { differ: ['status'] } }), /status is "200", without the gateway "200"/)
  t.match(await reasonOf(send, { events: { count: 3 } }), /0 events, count 0/)
  t.match(
    await reasonOf({ ...send, times: 3 }, { arrivals: { at_least: 3, gap_ms: { gte: 60_000 } } }),
    /gaps of \d+, \d+ ms/,
  )
})
