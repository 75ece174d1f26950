/** Failures that a plugin declares by a word: requested by header or rule, in the format of the route. */
import t from 'tap'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'

const FAULTS = `faults: {
    sold_out: { status: 409, message: 'Sold out', headers: { 'X-Left': '0' } },
    'too-early': { status: 425, code: 'early', message: 'Sales open at noon' },
    exact: { status: 402, message: 'No money', body: { error: { message: 'No money', type: 'balance' } } },
  },`
const FORM = `
    const examples = []
    app.get('/tickets/form', describe({ summary: 'f', category: 'Test', examples,
      errorForm: ({ status, kind, body }) => ({ body: { oops: { status, kind, ...body } } }) }), async () => 'never')`

async function tickets(t: { teardown(callback: () => unknown): unknown }): Promise<TestServer> {
  const { folder } = pluginFolder(t, {
    tickets: plugin('tickets', 'a ticket', { definition: FAULTS, body: FORM }),
    other: plugin('other', 'another'),
  })
  return serve(t, { builtinFolder: folder })
}

async function get(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, { headers })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : null,
  }
}

t.test('X-Svc-Fail with a declared word sends its failure [HOST-12]', async t => {
  const server = await tickets(t)
  const soldOut = await get(server, '/tickets', { 'X-Svc-Fail': 'sold_out' })
  t.equal(soldOut.status, 409)
  t.same(soldOut.body, { error: 'sold_out', details: 'Sold out' })
  t.equal(soldOut.headers.get('x-left'), '0')
  t.equal(soldOut.headers.get('x-svc-fault'), 'sold_out')
  t.match(await get(server, '/tickets', { 'X-Svc-Fail': 'too-early : 100%' }), {
    status: 425,
    body: { error: 'early', details: 'Sales open at noon' },
  })
  t.same((await get(server, '/tickets', { 'X-Svc-Fail': 'exact' })).body, {
    error: { message: 'No money', type: 'balance' },
  })
  t.match(await get(server, '/tickets/form', { 'X-Svc-Fail': 'sold_out' }), {
    status: 409,
    body: { oops: { status: 409, kind: 'injected', error: 'sold_out', details: 'Sold out' } },
  })
  t.match(await get(server, '/tickets', { 'X-Svc-Fail': 'sold_out:0' }), { status: 200, text: 'a ticket' })
  t.match(await get(server, '/tickets', { 'X-Svc-Fail': '503' }), { status: 503 }, 'a status works as everywhere')
  const metrics = (await get(server, '/_svc/metrics')).text
  t.match(metrics, /svc_faults_injected_total\{kind="sold_out"\} 2\n/)
  t.match(metrics, /svc_faults_injected_total\{kind="too-early"\} 1\n/)
})

t.test(
  'a word that the plugin of the route does not declare is ignored, and the accepted ones are named [HOST-12]',
  async t => {
    const server = await tickets(t)
    const wrong = await get(server, '/tickets', { 'X-Svc-Fail': 'soldout' })
    t.equal(wrong.text, 'a ticket')
    t.match(wrong.headers.get('x-svc-ignored'), /^X-Svc-Fail; .*or a word: sold_out, too-early, exact/)
    const elsewhere = await get(server, '/other', { 'X-Svc-Fail': 'sold_out' })
    t.equal(elsewhere.text, 'another')
    t.notMatch(elsewhere.headers.get('x-svc-ignored'), /or a word/)
  },
)

t.test('rules fail with a declared word and replace its texts [HOST-12]', async t => {
  const server = await tickets(t)
  const put = async (rule: object): Promise<number> => {
    const body = JSON.stringify(rule)
    const headers = { 'Content-Type': 'application/json' }
    return (await fetch(`${server.url}/_svc/rules/r`, { method: 'PUT', headers, body })).status
  }
  t.equal(await put({ match: { path: '/**' }, then: { fail: 'sold_out' } }), 201)
  const plain = await get(server, '/tickets')
  t.match(plain, { status: 409, body: { error: 'sold_out', details: 'Sold out' } })
  t.equal(plain.headers.get('x-svc-fault'), 'sold_out')
  t.match(await get(server, '/other'), { status: 409, body: { rule: 'r' } }, 'elsewhere only its status is known')
  t.equal(
    await put({
      match: { path: '/tickets' },
      then: { fail: 'sold_out', message: 'Gone', code: 'gone', retry_after: 7 },
    }),
    200,
  )
  const changed = await get(server, '/tickets')
  t.same(changed.body, { error: 'gone', details: 'Gone' })
  t.equal(changed.headers.get('retry-after'), '7')
  t.equal(await put({ match: { path: '/tickets' }, then: { fail: 'sold_oot' } }), 400)
})

t.test('the record of a plugin lists its failures [HOST-12]', async t => {
  const server = await tickets(t)
  t.match((await get(server, '/_svc/plugins/tickets')).body, {
    faults: { sold_out: { status: 409, message: 'Sold out' }, 'too-early': { status: 425 }, exact: { status: 402 } },
  })
  t.same((await get(server, '/_svc/plugins/other')).body.faults, {})
})
