/** What the core keeps in registers, seen by two servers that share their state. */
import t from 'tap'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIssuedBy } from '../../../core/pki/verification.ts'
import { StateRegistry } from '../../../core/state/state-registry.ts'
import { launch } from '../../../core/testing/launch.ts'
import { until } from '../../support/until.ts'

const states = new StateRegistry({ isStrict: true })
t.teardown(() => states.close())
const options = { states, plugins: ['auth', 'status'] }
const first = await launch(options)
const second = await launch(options)
t.teardown(() => Promise.all([first.stop(), second.stop()]))

const post = (url: string) => fetch(url, { method: 'POST' })
const json = async (response: Response) => (await response.json()) as Record<string, unknown>

t.test('health is switched for all replicas [STATE-32]', async t => {
  t.match(await json(await post(`${first.url}/health/unhealthy`)), { healthy: false })
  t.equal((await fetch(`${second.url}/health`)).status, 503)
  const toggled = await Promise.all([post(`${first.url}/health/toggle`), post(`${second.url}/health/toggle`)])
  const seen = await Promise.all(toggled.map(json))
  t.same(seen.map(({ healthy }) => healthy).sort(), [false, true], 'each toggle reports what it has set')
  t.equal((await fetch(`${first.url}/health`)).status, 503)
  await post(`${second.url}/health/healthy`)
  t.equal((await fetch(`${first.url}/health`)).status, 200)
})

t.test('plugins are switched for all replicas [STATE-32]', async t => {
  const generations = () => [first, second].map(({ host }) => host.current().number)
  const before = generations()
  const off = await post(`${first.url}/_svc/plugins/status/disable`)
  t.equal(off.status, 200)
  await until(async () => (await fetch(`${second.url}/status/204`)).status === 404)
  t.match(
    second.plugins().find(({ name }) => name === 'status'),
    { state: 'disabled', disabled_by: 'api' },
  )
  await fetch(`${second.url}/_svc/plugins/status/override`, { method: 'DELETE' })
  await until(async () => (await fetch(`${first.url}/status/204`)).status === 204)
  t.same(
    generations(),
    before.map(number => number + 2),
    'each switch is built once',
  )
})

t.test('all replicas have the demo CA of the first one, and HTTPS pairs of their own [STATE-32]', async t => {
  const ca = async (url: string) => (await fetch(`${url}/auth/mtls/get-ca-cert?format=pem`)).text()
  const shared = await ca(first.url)
  t.equal(await ca(second.url), shared)
  t.equal(readFileSync(join(first.folder, 'certs', 'ca.crt'), 'latin1'), shared)
  const leaves = [first, second].map(
    ({ folder }) => new X509Certificate(readFileSync(join(folder, 'certs', 'server.crt'))),
  )
  for (const leaf of leaves) t.ok(isIssuedBy(leaf, new X509Certificate(shared)))
  t.not(leaves[0]!.serialNumber, leaves[1]!.serialNumber)
  const client = async (url: string) => (await fetch(`${url}/auth/mtls/get-client-cert?format=pem`)).text()
  t.equal(await client(first.url), await client(second.url))
})
