/** `core.tls`: a plugin secures connections with certain server names. */
import t from 'tap'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

const SPECIAL = `import { definePlugin, describe } from 'svc/plugin'
import { createSecureContext, TLSSocket } from 'node:tls'
export default definePlugin({
  title: 'Special names',
  paths: ['/special'],
  register(app, svc) {
    const accept = async ({ socket, serverName, serve }) => {
      if (serverName.startsWith('closed')) return void socket.destroy()
      const { certificate, key } = await svc.pki.issue({ subject: 'CN=special', names: [serverName || 'unnamed'] })
      const context = createSecureContext({ cert: certificate, key, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })
      const secured = new TLSSocket(socket, { isServer: true, secureContext: context, ALPNProtocols: ['h2', 'http/1.1'] })
      secured.on('error', () => secured.destroy())
      secured.on('secure', () => serve(secured))
    }
    svc.use('core.tls').names(name => name.endsWith('.special'), accept)
    const port = svc.use('core.tls').port(0, accept)
    app.get('/special', describe({ summary: 'Special', category: 'Test', examples: [{ name: 'Plain', path: '/special' }] }), request => ({
      version: request.raw.socket.getProtocol?.(), scheme: svc.http.origin(request).scheme, ip: svc.http.clientIp(request), http: request.raw.httpVersion, port: port(),
    }))
  },
})
`

/** The certificate of the demo CA of a test server. */
async function readCa(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true })
  return readFile(join(folder, files.find(file => file.endsWith('ca.crt'))!), 'utf8')
}

t.test("connections with a matching name are the plugin's, all others the listener's [TLS-1]", async t => {
  const { folder } = pluginFolder(t, { special: SPECIAL })
  const server = await serve(t, { folders: [folder] })
  const ca = await readCa(server.folder)
  const open = async (servername: string, options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connect({
      host: '127.0.0.1',
      port: server.ports.https!,
      servername,
      ca,
      ALPNProtocols: ['http/1.1'],
      ...options,
    })
    await once(socket, 'secureConnect')
    return socket
  }
  const get = async (socket: TLSSocket, path: string): Promise<string> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    return text
  }
  const special = await open('one.special')
  t.equal(special.authorized, true)
  t.equal(special.getProtocol(), 'TLSv1.2')
  t.match(special.getPeerCertificate().subjectaltname, 'DNS:one.special')
  t.match(await get(special, '/special'), /"version":"TLSv1.2","scheme":"https","ip":"127.0.0.1","http":"1.1"/)

  const usual = await open('localhost')
  t.equal(usual.getProtocol(), 'TLSv1.3')
  t.match(await get(usual, '/special'), /"version":"TLSv1.3"/)
  const unnamed = await open('', { checkServerIdentity: () => undefined })
  t.match(await get(unnamed, '/special'), /200 OK/)
  await t.rejects(open('closed.special'), /ECONNRESET|disconnected/)

  t.test('a port passes all connections to the plugin [TLS-3]', async t => {
    const { port } = (await (await fetch(`${server.url}/special`)).json()) as { port: number }
    for (const servername of ['', 'localhost', 'two.special']) {
      const socket = await open(servername, { port, checkServerIdentity: () => undefined })
      t.equal(socket.getProtocol(), 'TLSv1.2')
      t.match(socket.getPeerCertificate().subjectaltname, `DNS:${servername || 'unnamed'}`)
      t.match(await get(socket, '/special'), /"scheme":"https","ip":"127.0.0.1"/)
    }
    await t.rejects(open('closed.special', { port }), /ECONNRESET|disconnected/)
  })

  t.test('in pieces of one byte [TLS-2]', async t => {
    const proxy = (await import('node:net')).createServer(from => {
      const to = connectPlain(server.ports.https!, '127.0.0.1').setNoDelay(true)
      to.pipe(from)
      from.on('data', async (chunk: Buffer) => {
        from.pause()
        for (const byte of chunk) {
          to.write(Buffer.from([byte]))
          await wait(0)
        }
        from.resume()
      })
      for (const end of [from, to]) end.on('error', () => {}).on('close', () => (from.destroy(), to.destroy()))
    })
    t.teardown(() => proxy.close())
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const socket = await open('two.special', { port: (proxy.address() as { port: number }).port })
    t.equal(socket.getProtocol(), 'TLSv1.2')
    socket.destroy()
  })

  t.test('a ClientHello that is too long ends the connection [TLS-2]', async t => {
    const socket = connectPlain(server.ports.https!, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x50, 0]))
    await once(socket, 'close')
    t.pass('closed')
  })
})
