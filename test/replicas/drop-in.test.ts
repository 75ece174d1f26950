/** What the upstreams of other projects keep, at replicas that share a store: a gateway sends each request to any of them. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { send } from '../support/request.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'

t.test('what is kept at one replica is known to the other [DIN-63]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = (id: string) =>
    launch({
      plugins: ['demo-data', 'drop-in', 'httpbin', 'orca', 'query'],
      settings: {},
      env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000', SVC_INSTANCE_ID: id },
    })
  const [{ url: one, stop: stopOne }, { url: two, stop: stopTwo }] = [await start('one'), await start('two')]
  t.teardown(() => Promise.all([stopOne(), stopTwo()]))

  t.equal((await send(one, '/drop-in/whoami/health', { method: 'POST', body: '503' })).status, 200)
  t.equal((await send(two, '/drop-in/whoami/health')).status, 503, 'the health of whoami')

  for (const url of [one, two])
    await send(url, '/drop-in/kong-mock/post_log/a', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"x":1}',
    })
  t.equal((await send(one, '/drop-in/kong-mock/count_log/a')).text, '2\n', 'the logs of Kong')

  const retry = '/echo-basic/retry/?uuid=u1&succeedAfter=2&responseCode=503'
  t.equal((await send(one, retry)).status, 503)
  t.equal((await send(two, retry)).status, 503)
  t.equal((await send(one, retry)).status, 200, 'the attempts of echo-basic')

  const headers = { 'Content-Type': 'application/json' }
  const queried = await send(one, '/query', { method: 'QUERY', headers, body: '{"from":"products","limit":1}' })
  t.equal((await send(two, String(queried.headers['content-location']))).text, queried.text, 'the result of a query')

  const asked = { 'endpoint-load-metrics-format': 'JSON' }
  t.equal((await send(one, '/_svc/orca', { method: 'PUT', headers, body: '{"cpu_utilization":0.75}' })).status, 200)
  await until(async () => {
    const { headers: answered } = await send(two, '/drop-in/http-echo', { headers: asked })
    return /"cpu_utilization":0\.75/.test(String(answered['endpoint-load-metrics']))
  }, 'the report of ORCA')
})
