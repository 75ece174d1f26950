/** TLS endpoints with ports of their own, for clients that send no server name. */
import t from 'tap'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect as connectPlain, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type ConnectionOptions } from 'node:tls'
import { type TestServer, serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const yaml = (ports: string): string => `plugins: { enable: [tls] }\ntls: { ports: ${ports} }\n`
const KINDS = ['good', 'expired', 'wildcard', 'wrong-host', 'no-san', 'unknown-ca', 'reset', 'tls1.2', 'alpn-h2-only']

async function portsOf(server: TestServer): Promise<Record<string, number | null>> {
  const { endpoints } = (await (await fetch(`${server.url}/_svc/tls`)).json()) as {
    endpoints: { kind: string; port: number | null }[]
  }
  return Object.fromEntries(endpoints.map(({ kind, port }) => [kind, port]))
}

/** The body of `GET /tls`, or the code of the error. */
async function meet(
  port: number,
  ca: string,
  options: ConnectionOptions = {},
): Promise<Record<string, unknown> | string> {
  const socket = connect({ host: '127.0.0.1', port, ca, ...options })
  try {
    await once(socket, 'secureConnect')
    socket.write('GET /tls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return JSON.parse((await text(socket)).replace(/^[^]*?\r\n\r\n/, '')) as Record<string, unknown>
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  } finally {
    socket.destroy()
  }
}

t.test('each port has one endpoint, without a server name or with any [TLSZ-11]', async t => {
  const server = await serve(t, { yaml: yaml(`{ ${KINDS.map(kind => `"${kind}": 0`).join(', ')} }`) })
  const ca = await (await fetch(`${server.url}/tls/ca.pem`)).text()
  const ports = await portsOf(server)
  t.equal(ports['not-yet-valid'], null)
  const to = (kind: string, options?: ConnectionOptions) => meet(ports[kind]!, ca, options)
  t.equal(new Set(KINDS.map(kind => ports[kind])).size, KINDS.length)
  t.match(await to('good'), { kind: 'good', server_name: null })
  for (const servername of ['localhost', 'svc', 'good.tls.localhost', 'shop.example.com', 'expired.tls.localhost'])
    t.match(await to('good', { servername }), { kind: 'good', server_name: servername })
  t.equal(await to('expired'), 'CERT_HAS_EXPIRED')
  t.equal(await to('expired', { servername: 'good.tls.localhost' }), 'CERT_HAS_EXPIRED')
  t.match(await to('wildcard', { servername: 'wildcard.tls.svc' }), { kind: 'wildcard' })
  t.equal(await to('wrong-host'), 'ERR_TLS_CERT_ALTNAME_INVALID')
  t.match(await to('no-san', { servername: 'localhost' }), { kind: 'no-san' })
  t.equal(await to('unknown-ca'), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  t.equal(await to('reset'), 'ECONNRESET')
  t.match(await to('tls1.2'), { protocol: 'TLSv1.2' })
})

t.test('ports follow the configuration on reload [TLSZ-11]', async t => {
  const server = await serve(t, { yaml: yaml('{ good: 0, expired: 0 }') })
  const ca = await (await fetch(`${server.url}/tls/ca.pem`)).text()
  const before = await portsOf(server)
  const file = join(server.folder, 'svc.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('expired: 0', 'not-yet-valid: 0, revoked: 0'))
  t.equal((await fetch(`${server.url}/_svc/reload`, { method: 'POST' })).status, 200)
  await until(async () => (await portsOf(server)).revoked !== null)
  const after = await portsOf(server)
  t.equal(after.good, before.good, 'stays open')
  t.equal(after.expired, null)
  t.match(await meet(after.good!, ca), { kind: 'good' })
  t.equal(await meet(after['not-yet-valid']!, ca), 'CERT_NOT_YET_VALID')
  await server.stop()
  const socket = connectPlain(after.good!, '127.0.0.1')
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  t.equal(error.code, 'ECONNREFUSED')
})

t.test('ports that are in use, twice the same, or unknown [TLSZ-11]', async t => {
  const other = createServer().listen(0)
  t.teardown(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const busy = await serve(t, { yaml: yaml(`{ good: ${port}, expired: 0 }`) })
  const ports = await portsOf(busy)
  t.equal(ports.good, null)
  t.ok(ports.expired! > 0)
  const plugins = async (value: string): Promise<string> => {
    const server = await serve(t, { yaml: yaml(value) })
    return (await fetch(`${server.url}/_svc/plugins`)).text()
  }
  t.match(await plugins('{ good: 19443, expired: 19443 }'), /port 19443 is already used by the plugin tls/)
  t.match(await plugins('{ goood: 19443 }'), /goood/)
  t.match(await plugins('{ good: 70000 }'), /65535/)
})

t.test('no ports in public mode [TLSZ-11]', async t => {
  const server = await serve(t, { yaml: yaml('{ good: 0 }'), env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal((await portsOf(server)).good, null)
})
