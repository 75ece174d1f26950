/** gRPC-Web on the wire, and other traffic on the gRPC port. */
import { connect as connectTcp } from 'node:net'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpRequest } from 'node:http'
import t from 'tap'
import { definitions } from './grpc-client.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t)
const url = `http://127.0.0.1:${server.ports.grpc}`
const METHOD = '/svc.echo.v1.EchoService/'

interface Codec {
  serialize(value: object): Buffer
  deserialize(bytes: Buffer): Record<string, unknown>
}
const codec = (name: string) => definitions[`svc.echo.v1.${name}`] as unknown as Codec

function frame(message: object, type = 'EchoRequest'): Buffer {
  const payload = codec(type).serialize(message)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

/** Messages of a body, and the lines of its last frame. */
function readBody(body: Buffer): { messages: Record<string, unknown>[]; trailers: string[] } {
  const messages: Record<string, unknown>[] = []
  let trailers: string[] = []
  for (let at = 0; at < body.length; ) {
    const length = body.readUInt32BE(at + 1)
    const payload = body.subarray(at + 5, at + 5 + length)
    if (body[at] === 0x80)
      trailers = payload
        .toString('latin1')
        .split('\r\n')
        .filter(line => line !== '')
    else messages.push(codec('EchoResponse').deserialize(payload))
    at += 5 + length
  }
  return { messages, trailers }
}

const decodeText = (text: string): Buffer =>
  Buffer.concat((text.match(/[^=]+=*/g) ?? []).map(piece => Buffer.from(piece, 'base64')))

async function post(method: string, body: Buffer | string, type = 'application/grpc-web', headers = {}) {
  const response = await fetch(url + METHOD + method, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: body as BodyInit,
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { response, ...readBody(type.includes('text') ? decodeText(bytes.toString('latin1')) : bytes) }
}

t.test(
  'binary and text requests get the same format back, with the status only in the last frame [GRPC-20]',
  async t => {
    for (const type of [
      'application/grpc-web',
      'application/grpc-web+proto',
      'application/grpc-web-text',
      'application/grpc-web-text+proto',
      'Application/gRPC-Web+Proto; charset=x',
    ]) {
      const isText = type.includes('text')
      const bytes = frame({ message: 'hi' })
      const { response, messages, trailers } = await post('Echo', isText ? bytes.toString('base64') : bytes, type, {
        'x-custom': 'c',
      })
      t.equal(response.status, 200)
      t.equal(response.headers.get('content-type'), `application/grpc-web${isText ? '-text' : ''}+proto`)
      t.equal(response.headers.get('grpc-status'), null)
      t.equal(response.headers.get('x-request-id')?.length, 36)
      t.match(messages, [{ message: 'hi', index: 0 }], type)
      t.match((messages[0]!.metadata as { key: string }[]).map(({ key }) => key).includes('x-custom'), true)
      t.equal(trailers[0], 'grpc-status:0')
    }
    const failed = await post('Fail', frame({ code: 5, message: 'weg: ü' }, 'FailRequest'))
    t.equal(failed.response.headers.get('grpc-status'), null)
    t.equal(failed.response.headers.get('x-svc-fail'), null)
    t.strictSame(failed.trailers.slice(0, 2), ['grpc-status:5', 'grpc-message:weg:%20%C3%BC'])
    t.ok(failed.trailers.includes('x-svc-fail:true'))
    t.ok(failed.trailers.some(line => line.startsWith('grpc-status-details-bin:')))
    t.strictSame((await post('Nothing', frame({}))).trailers[0], 'grpc-status:12')
    const streamed = await post('ServerStream', frame({ count: 2 }).toString('base64'), 'application/grpc-web-text')
    t.strictSame(
      streamed.messages.map(({ index }) => index),
      [0, 1],
    )
    const joined = await post('ClientStream', Buffer.concat([frame({ message: 'a' }), frame({ message: 'b' })]))
    t.match(joined.messages, [{ message: 'a b', index: 2 }])
    const late = await post('ServerStream', frame({ count: 100 }), 'application/grpc-web', { 'grpc-timeout': '200m' })
    t.equal(late.trailers[0], 'grpc-status:4')
  },
)

t.test('HTTP/2 carries gRPC-Web too [GRPC-20]', async t => {
  const session = connectHttp2(url)
  const call = session.request({
    ':method': 'POST',
    ':path': `${METHOD}Echo`,
    'content-type': 'application/grpc-web+proto',
  })
  call.end(frame({ message: 'h2' }))
  const chunks: Buffer[] = []
  let type: unknown
  call.on('response', headers => {
    type = headers['content-type']
  })
  for await (const chunk of call) chunks.push(chunk as Buffer)
  t.equal(type, 'application/grpc-web+proto')
  const { messages, trailers } = readBody(Buffer.concat(chunks))
  t.match(messages, [{ message: 'h2' }])
  t.equal(trailers[0], 'grpc-status:0')
  session.close()
})

/** Sends a body in these parts, each after the previous one has been sent. */
async function sendPieces(pieces: string[]): Promise<{ messages: Record<string, unknown>[]; trailers: string[] }> {
  const body = await new Promise<string>((resolve, reject) => {
    const request = httpRequest(
      `${url}${METHOD}ClientStream`,
      { method: 'POST', headers: { 'content-type': 'application/grpc-web-text' } },
      response => {
        let text = ''
        response
          .setEncoding('latin1')
          .on('data', chunk => {
            text += String(chunk)
          })
          .on('end', () => resolve(text))
      },
    )
    request.on('error', reject)
    const next = (index: number): void => {
      if (index === pieces.length) request.end()
      else request.write(pieces[index], () => setImmediate(next, index + 1))
    }
    next(0)
  })
  return readBody(decodeText(body))
}

t.test('text is accepted in chunks of any size and in padded parts [GRPC-21]', async t => {
  const pieces = ['a', 'bc', 'def', 'ghij'].map(message => frame({ message }).toString('base64'))
  t.match(await sendPieces(pieces), { messages: [{ message: 'a bc def ghij', index: 4 }] })
  t.match(await sendPieces([...pieces.join('')]), { messages: [{ message: 'a bc def ghij' }] })
  for (const bad of ['!!!!', 'AAA', 'AA=A'])
    t.notMatch((await sendPieces([pieces[0]!, bad])).trailers, ['grpc-status:0'], bad)
})

t.test('a browser can call from any origin and read the status [GRPC-22]', async t => {
  const preflight = await fetch(`${url}${METHOD}Echo`, {
    method: 'OPTIONS',
    headers: {
      origin: 'http://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-grpc-web',
    },
  })
  t.equal(preflight.status, 200)
  t.equal(preflight.headers.get('access-control-allow-origin'), '*')
  t.match(preflight.headers.get('access-control-allow-methods'), /POST/)
  t.equal(preflight.headers.get('access-control-allow-headers'), 'content-type,x-grpc-web')
  t.equal(preflight.headers.get('access-control-max-age'), '600')
  const { response } = await post('Echo', frame({}), 'application/grpc-web', { origin: 'http://app.example' })
  t.equal(response.headers.get('access-control-allow-origin'), '*')
  t.equal(
    response.headers.get('access-control-expose-headers'),
    'grpc-status, grpc-message, grpc-status-details-bin, x-svc-fail, x-svc-fault, x-svc-ignored, x-request-id',
  )
})

t.test('anything else is rejected, and the port keeps serving [GRPC-23]', async t => {
  const wrong: RequestInit[] = [
    {},
    { method: 'POST', body: '{}' },
    { method: 'POST', headers: { 'content-type': 'application/grpc' }, body: '' },
    { headers: { 'content-type': 'application/grpc-web' } },
    { method: 'OPTIONS' },
  ]
  for (const init of wrong) {
    const response = await fetch(`${url}${METHOD}Echo`, init)
    t.equal(response.status, 415, JSON.stringify(init))
    t.match(await response.json(), { error: 'grpc_required' })
  }
  const session = connectHttp2(url)
  for (const headers of [
    { ':method': 'GET', 'content-type': 'application/grpc' },
    { ':method': 'POST', 'content-type': 'text/plain' },
    { ':method': 'POST' },
  ]) {
    const refused = session.request({ ':path': `${METHOD}Echo`, ...headers }).resume()
    t.equal(
      await new Promise(resolve => refused.on('response', answered => resolve(answered[':status']))),
      415,
      JSON.stringify(headers),
    )
    refused.close()
  }
  session.close()
  for (const bytes of [
    '\0\0\0\0garbage',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage that is not a valid frame',
    '\x16\x03\x01\x02\0',
  ]) {
    const socket = connectTcp(server.ports.grpc!, '127.0.0.1')
    let isClosed = false
    socket
      .on('close', () => {
        isClosed = true
      })
      .on('error', () => {})
      .resume()
    socket.write(bytes, 'latin1')
    await until(() => isClosed, `closed after ${JSON.stringify(bytes)}`)
  }
  for (const [name, body] of [
    ['no frame', Buffer.from('nonsense')],
    ['cut short', frame({ message: 'hello' }).subarray(0, 8)],
    ['a length of 4 GB', Buffer.from([0, 255, 255, 255, 255, 1])],
    ['no protobuf', Buffer.from([0, 0, 0, 0, 2, 255, 255])],
    ['nothing', Buffer.alloc(0)],
  ] as const) {
    const { response, trailers } = await post('Echo', body)
    t.equal(response.status, 200, name)
    t.match(trailers[0], /^grpc-status:(?!0$)\d+$/, name)
  }
  t.match(await post('Echo', frame({ message: 'fine' }), 'application/grpc-web', { 'x-latin': 'caf\xe9' }), {
    messages: [{ message: 'fine' }],
  })
})

t.test('bridge headers from clients are ignored [GRPC-24]', async t => {
  const { messages } = await post('Echo', frame({}), 'application/grpc-web', {
    'x-svc-bridge-peer': '1.2.3.4',
    'x-svc-bridge-timeout': '7S',
    'x-svc-bridge-x': 'y',
  })
  t.match(messages, [{ grpc_timeout: '', deadline_ms: 0 }])
  t.notMatch(JSON.stringify(messages), 'x-svc-bridge')
})
