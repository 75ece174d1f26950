/** The server name in a ClientHello, without a handshake. */
import t from 'tap'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { findServerName } from '../../../core/http/sockets/server-name.ts'

/** What a client sends first. */
async function helloOf(servername: string): Promise<Buffer> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, servername })
  client.on('error', () => {})
  const [socket] = await once(server, 'connection')
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  socket.destroy()
  server.close()
  return bytes
}

t.test('the name of a real client, also in pieces and several records [TLS-2]', async t => {
  const hello = await helloOf('Expired.TLS.example')
  t.strictSame(findServerName(hello), { state: 'name', name: 'expired.tls.example' })
  for (let length = 0; length < hello.length; length++)
    if (findServerName(hello.subarray(0, length)).state !== 'more') t.fail(`after ${length} bytes`)
  const message = hello.subarray(5)
  const records = Array.from({ length: Math.ceil(message.length / 50) }, (_, index) => {
    const part = message.subarray(index * 50, index * 50 + 50)
    return Buffer.concat([Buffer.from([22, 3, 1, 0, part.length]), part])
  })
  t.strictSame(findServerName(Buffer.concat(records)), { state: 'name', name: 'expired.tls.example' })
  t.strictSame(findServerName(await helloOf('')), { state: 'none' })
})

t.test('records of few bytes are joined, up to a number [TLS-2, HARD-10]', async t => {
  const message = (await helloOf('a.example')).subarray(5)
  const size = Math.ceil(message.length / 1000)
  const record = (part: Buffer): Buffer => Buffer.concat([Buffer.from([22, 3, 1, 0, part.length]), part])
  const parts = Array.from({ length: Math.ceil(message.length / size) }, (_, index) =>
    record(message.subarray(index * size, index * size + size)),
  )
  t.strictSame(findServerName(Buffer.concat(parts)), { state: 'name', name: 'a.example' })
  const long = Buffer.alloc(16_384)
  long.set([1, 0, 0x3f, 0xfc])
  const many = Array.from({ length: 1024 }, (_, index) => record(long.subarray(index, index + 1)))
  t.strictSame(findServerName(Buffer.concat(many.slice(1))), { state: 'none' })
  t.strictSame(findServerName(Buffer.concat(many.slice(0, -1))), { state: 'more' })
  t.strictSame(findServerName(Buffer.concat(many)), { state: 'too-long' })
})

t.test('other and malformed bytes have no name [TLS-2]', async t => {
  const hello = await helloOf('a.example')
  t.strictSame(findServerName(Buffer.from('GET / HTTP/1.1\r\n\r\n')), { state: 'none' })
  t.strictSame(findServerName(Buffer.from([22, 3, 1, 0, 0])), { state: 'none' })
  t.strictSame(findServerName(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])), { state: 'none' })
  t.strictSame(findServerName(Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x50, 0])), { state: 'too-long' })
  for (let index = 5; index < hello.length; index++) {
    const broken = Buffer.from(hello)
    broken[index]! ^= 0xff
    findServerName(broken)
  }
  t.pass('never throws')
})
