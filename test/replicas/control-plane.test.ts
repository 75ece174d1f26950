/** Reloads and plugin switches over HTTP reach all replicas before the reply. */
import t from 'tap'
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from '../../core/testing/launch.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'

const SPEC = JSON.stringify({ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths: {} })

t.test('two servers with files of their own', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const folder = mkdtempSync(join(tmpdir(), 'svc-replicas-'))
  const start = (id: string) => {
    mkdirSync(join(folder, id))
    writeFileSync(join(folder, id, 'svc.yaml'), '{}')
    return launch({
      folder: join(folder, id),
      env: {
        SVC_STATE_STORE: store.url,
        SVC_STATE_STORE_TIMEOUT_MS: '10000',
        SVC_INSTANCE_ID: id,
        SVC_CONFIG: join(folder, id, 'svc.yaml'),
      },
    })
  }
  const servers = [await start('one'), await start('two')]
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  t.teardown(async () => {
    await Promise.all(servers.map(server => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  })
  const post = async (path: string) => {
    const response = await fetch(`${one.url}${path}`, { method: 'POST' })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const statuses = (path: string) => Promise.all(servers.map(async ({ url }) => (await fetch(`${url}${path}`)).status))
  await until(async () => ((await (await fetch(`${one.url}/_svc/replicas`)).json()) as { count: number }).count === 2)

  await t.test(
    'tokens for the control plane name the deployment or a replica, and log lines name the replica [STATE-40]',
    async t => {
      const { publicKey, privateKey } = generateKeyPairSync('ed25519')
      const server = await launch({
        plugins: ['echo'],
        env: {
          SVC_STATE_STORE: store.url,
          SVC_STATE_STORE_PREFIX: 'other',
          SVC_INSTANCE_ID: 'alone',
          SVC_CONTROL_AUTH: 'jwt',
          SVC_CONTROL_JWT_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
          SVC_LOG_FORMAT: 'json',
          SVC_LOG_LEVEL: 'info',
        },
      })
      t.teardown(() => server.stop())
      const ask = async (aud: string) => {
        const token = await new SignJWT({ aud, scope: 'console' })
          .setProtectedHeader({ alg: 'EdDSA' })
          .setExpirationTime('1h')
          .sign(privateKey)
        return fetch(`${server.url}/_svc/replicas`, { headers: { Authorization: `Bearer ${token}` } })
      }
      t.equal((await ask('svc')).status, 401)
      t.equal((await ask('other')).status, 200)
      const { self } = (await (await ask('alone')).json()) as { self: string }
      const line = server.lines.find(text => text.includes('"path":"/_svc/replicas"'))!
      t.match(JSON.parse(line), { message: 'request', replica: self })
    },
  )

  await t.test('a switch is followed when its reply arrives [STATE-40]', async t => {
    t.match(await post('/_svc/plugins/images/disable'), { status: 200, body: { replicas: { followed: 2, of: 2 } } })
    t.same(await statuses('/image/svg'), [404, 404])
    const response = await fetch(`${one.url}/_svc/plugins/images/override`, { method: 'DELETE' })
    t.match(await response.json(), { state: 'enabled', replicas: { followed: 2, of: 2 } })
    t.same(await statuses('/image/svg'), [200, 200])
  })

  await t.test('a reload is one of all replicas, each of its own files [STATE-40]', async t => {
    writeFileSync(join(folder, 'two', 'svc.yaml'), 'plugins: { disable: [images] }')
    const { status, body } = await post('/_svc/reload')
    t.equal(status, 200)
    t.match(body, { applied: true, changed: false })
    t.match(body.replicas, [
      { instance_id: 'one', applied: true, changed: false, error: null },
      { instance_id: 'two', applied: true, changed: true, generation: Number, error: null },
    ])
    t.same(await statuses('/image/svg'), [200, 404])
    writeFileSync(join(folder, 'two', 'svc.yaml'), '{ plugins: ')
    t.match((await post('/_svc/reload')).body.replicas, [
      { instance_id: 'one', applied: true },
      { instance_id: 'two', applied: false, error: String },
    ])
    writeFileSync(join(folder, 'two', 'svc.yaml'), '{}')
  })

  await t.test('so is a reload of the mocks [STATE-40]', async t => {
    writeFileSync(join(folder, 'shop.json'), SPEC)
    for (const id of ['one', 'two'])
      writeFileSync(join(folder, id, 'svc.yaml'), 'mocks: [{ name: shop, spec: ../shop.json }]')
    const { body } = await post('/_svc/mocks/reload')
    t.match(body, { reloaded: true, replicas: [{ instance_id: 'one' }, { instance_id: 'two', changed: true }] })
  })

  await t.test('a replica that does not reply is reported [STATE-40]', async t => {
    await two.stop()
    t.match(await post('/_svc/plugins/images/disable'), { status: 200, body: { replicas: { followed: 1, of: 1 } } })
  })
})
