/** The endpoints that services pick from. */
import t from 'tap'
import { startReplicas } from '../../../core/testing/index.ts'
import { send, type Reply } from '../../support/rules.ts'
import { serve, type TestServer } from '../../support/server.ts'

const shown = async (on: TestServer): Promise<unknown> =>
  ((await send(on, '/_svc/services')).json as { endpoints: unknown }).endpoints
const put = (on: TestServer, body: unknown): Promise<Reply> => send(on, 'PUT /_svc/services/endpoints', { body })
const configured = ['127.0.0.1:8080', '[::1]:8081', 'pod-7.svc.local:65535']

t.test('endpoints come from svc.yaml, or are set until the next reload [GWS-14]', async t => {
  const server = await serve(t, {
    plugins: ['gateway-services'],
    settings: { services: { endpoints: [...configured, 'nope', '1.2.3.4:65536'] } },
  })
  t.strictSame(await shown(server), configured, 'what is wrong is left out')
  t.match(server.problems(), [{ at: 'services.endpoints[3]' }, { at: 'services.endpoints[4]' }])
  t.match(await put(server, ['10.0.0.7:8000', '10.0.0.7:8000']), {
    status: 200,
    json: { endpoints: ['10.0.0.7:8000'] },
  })
  t.strictSame(await shown(server), ['10.0.0.7:8000'])
  t.equal((await put(server, [])).status, 200)
  t.strictSame(await shown(server), [])
  await server.reload()
  t.strictSame(await shown(server), [], 'a reload that changes nothing is none')
  await send(server, 'POST /_svc/reload?force=true')
  t.strictSame(await shown(server), configured)
  for (const [body, at, details] of [
    ['{', undefined, /JSON list/],
    [{}, undefined, /JSON list/],
    [Array.from({ length: 101 }, (_, index) => `h:${index + 1}`), undefined, /at most 100/],
    [['h:1', 'h'], '[1]', /"h" is not host:port/],
    [['h:0'], '[0]', /host:port/],
    [['a b:1'], '[0]', /host:port/],
    [[7], '[0]', /7 is not host:port/],
  ] as const)
    t.match(await put(server, body), {
      status: 400,
      json: { error: 'invalid_endpoints', details, ...(at === undefined ? {} : { at }) },
    })
})

t.test('only an administrator sets them', async t => {
  const guarded = await serve(t, { plugins: ['gateway-services'], env: { SVC_ADMIN_TOKEN: 'admin-token-0123456789' } })
  t.equal((await put(guarded, ['h:1'])).status, 401)
  const open = await serve(t, { plugins: ['gateway-services'], env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal((await put(open, ['h:1'])).status, 403)
})

t.test('all replicas have them before the response [GWS-14]', async t => {
  const replicas = await startReplicas(2, { plugins: ['gateway-services'] })
  t.teardown(() => replicas.stop())
  await put(replicas.servers[0] as TestServer, ['h:1'])
  for (const server of replicas.servers) t.strictSame(await shown(server as TestServer), ['h:1'])
})
