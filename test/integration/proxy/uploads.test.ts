/** Bodies of requests through the proxy, which are sent on as they arrive. */
import http from 'node:http'
import { connect } from 'node:http2'
import net, { type AddressInfo } from 'node:net'
import t from 'tap'
import { putRule } from '../../support/rules.ts'
import { send } from '../../support/request.ts'
import { until } from '../../support/until.ts'
import { onlyRecording, proxyTo, recordingNames, startUpstream } from './upstream.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

interface Upload {
  request: http.IncomingMessage
  response: http.ServerResponse
  text: string
  isEnded: boolean
  isClosed: boolean
}

/** An upstream that shows what of a body has arrived. */
async function startReceiver(t: Test): Promise<{ url: string; uploads: Upload[] }> {
  const uploads: Upload[] = []
  const server = http.createServer((request, response) => {
    const upload: Upload = { request, response, text: '', isEnded: false, isClosed: false }
    uploads.push(upload)
    request.on('data', (chunk: Buffer) => (upload.text += chunk.toString()))
    request.on('end', () => (upload.isEnded = true))
    request.on('error', () => {})
    response.on('close', () => (upload.isClosed = true))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, uploads }
}

function open(
  url: string,
  options: http.RequestOptions = {},
): { request: http.ClientRequest; response: Promise<Reply> } {
  const request = http.request(url, { method: 'POST', agent: false, ...options })
  const response = new Promise<Reply>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', message => {
      const reply = { message, text: '', isEnded: false }
      message.on('data', (chunk: Buffer) => (reply.text += chunk.toString()))
      message.on('end', () => (reply.isEnded = true))
      message.on('error', () => {})
      resolve(reply)
    })
  })
  response.catch(() => {})
  return { request, response }
}

interface Reply {
  message: http.IncomingMessage
  text: string
  isEnded: boolean
}

for (const mode of ['passthrough', 'record', 'replay-or-record'])
  t.test(`${mode}: a body arrives piece by piece, and the response can begin before its end [PROXY-14]`, async t => {
    const { url: target, uploads } = await startReceiver(t)
    const server = await proxyTo(t, [{ name: 'api', target, mode }])
    const { request, response } = open(`${server.url}/proxy/api/upload`)
    request.write('one,')
    await until(() => uploads[0]?.text === 'one,', 'the first piece')
    const [upload] = uploads
    t.equal(upload!.request.headers['transfer-encoding'], 'chunked')
    upload!.response.write('seen,')
    const reply = await response
    t.equal(reply.message.headers['x-svc-proxy'], mode === 'passthrough' ? mode : 'record')
    await until(() => reply.text === 'seen,', 'the first piece of the response')
    request.end('two')
    await until(() => upload!.isEnded, 'the end of the body')
    t.equal(upload!.text, 'one,two')
    upload!.response.end('done')
    await until(() => reply.isEnded, 'the end of the response')
    t.equal(reply.text, 'seen,done')
    if (mode === 'passthrough') return
    await until(async () => (await recordingNames(server, 'api')).length === 1, 'the recording')
    t.match(await onlyRecording(server, 'api'), { request: { method: 'POST', body: 'one,two' } })
  })

t.test('a request that may be replayed is read first [PROXY-14]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const post = (body: string) => send(server.url, '/proxy/api/charges', { method: 'POST', body })
  t.equal((await post('a')).headers['x-svc-proxy'], 'record')
  t.equal((await post('a')).headers['x-svc-proxy'], 'replay')
  t.equal((await post('b')).headers['x-svc-proxy'], 'record', 'the same path with another body')
  t.strictSame(
    upstream.received.map(({ body }) => body),
    ['a', 'b'],
  )
})

t.test('bodies with a length, on any method, and over HTTP/2 [PROXY-14]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'passthrough' }], {
    SVC_GRPC_ON_HTTP: 'true',
  })
  const large = 'x'.repeat(300_000)
  t.equal((await send(server.url, '/proxy/api/a', { method: 'PUT', body: large })).status, 200)
  t.match(upstream.received.at(-1), { body: large, headers: { 'content-length': '300000' } })
  const { request, response } = open(`${server.url}/proxy/api/b`, {
    method: 'GET',
    headers: { 'Transfer-Encoding': 'chunked' },
  })
  request.end('query')
  t.equal((await response).message.statusCode, 200)
  t.match(upstream.received.at(-1), { method: 'GET', body: 'query', headers: { 'transfer-encoding': 'chunked' } })
  const client = connect(server.url)
  t.teardown(() => client.close())
  const stream = client.request({ ':method': 'POST', ':path': '/proxy/api/c' })
  stream.write('one,')
  stream.end('two')
  stream.resume()
  await new Promise(resolve => stream.on('close', resolve))
  t.match(upstream.received.at(-1), { url: '/c', body: 'one,two', headers: { 'transfer-encoding': 'chunked' } })
  const bodiless = client.request({ ':method': 'DELETE', ':path': '/proxy/api/d' })
  bodiless.resume()
  await new Promise(resolve => bodiless.on('close', resolve))
  t.equal(upstream.received.at(-1)?.headers['transfer-encoding'], undefined)
})

t.test('a client that waits for 100 Continue gets it when the body is read [PROXY-14]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  const { request, response } = open(`${server.url}/proxy/api/x`, { headers: { Expect: '100-continue' } })
  request.on('continue', () => request.end('now'))
  request.flushHeaders()
  t.equal((await response).message.statusCode, 200)
  t.match(upstream.received[0], { body: 'now', headers: { expect: undefined } })
})

t.test('a body that is too large ends the exchange with 413 [PROXY-14]', async t => {
  const { url: target, uploads } = await startReceiver(t)
  const server = await proxyTo(t, [{ name: 'api', target }], { SVC_BODY_LIMIT: '100000' })
  const { request, response } = open(`${server.url}/proxy/api/x`)
  request.write('x'.repeat(60_000))
  await until(() => uploads[0]?.text.length === 60_000, 'the first piece')
  request.write('x'.repeat(60_000))
  const reply = await response
  t.equal(reply.message.statusCode, 413)
  await until(() => uploads[0]?.isClosed === true, 'the end of the upload')
  t.equal(uploads[0]?.isEnded, false)
  request.destroy()
  t.strictSame(await recordingNames(server, 'api'), [])
})

t.test('a body that is read first has the same limit [PROXY-14]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'replay' }], { SVC_BODY_LIMIT: '100000' })
  const { request, response } = open(`${server.url}/proxy/api/x`)
  request.on('error', () => {})
  request.write('x'.repeat(120_000))
  const reply = await response
  t.equal(reply.message.statusCode, 413)
  await until(() => reply.isEnded, 'the end of the response')
  t.match(JSON.parse(reply.text), { limit: 100_000 })
  request.destroy()
  t.equal((await send(server.url, '/proxy/api/x', { method: 'POST', body: 'x' })).status, 404)
})

t.test('a client that disconnects ends the upload; nothing is recorded [PROXY-14]', async t => {
  const { url: target, uploads } = await startReceiver(t)
  const server = await proxyTo(t, [{ name: 'api', target }], { SVC_GRPC_ON_HTTP: 'true' })
  const { request } = open(`${server.url}/proxy/api/x`)
  request.write('one')
  await until(() => uploads[0]?.text === 'one', 'the first piece')
  request.destroy()
  await until(() => uploads[0]?.isClosed === true, 'the end of the upload')
  t.equal(uploads[0]?.isEnded, false, 'a body that breaks off does not look complete')
  const client = connect(server.url)
  const stream = client.request({ ':method': 'POST', ':path': '/proxy/api/y' })
  stream.on('error', () => {})
  stream.write('two')
  await until(() => uploads[1]?.text === 'two', 'the first piece')
  // Node's client would end the body before it resets the stream.
  client.on('error', () => {})
  client.destroy()
  await until(() => uploads[1]?.isClosed === true, 'the end of the upload')
  t.equal(uploads[1]?.isEnded, false)
  t.strictSame(await recordingNames(server, 'api'), [])
})

t.test('a response that ends before the body is sent on, and not recorded [PROXY-14]', async t => {
  const { url: target, uploads } = await startReceiver(t)
  const server = await proxyTo(t, [{ name: 'api', target, mode: 'record' }])
  const { request, response } = open(`${server.url}/proxy/api/x`)
  request.on('error', () => {})
  request.write('one')
  await until(() => uploads[0]?.text === 'one', 'the first piece')
  uploads[0]!.response.writeHead(401).end('no')
  const reply = await response
  await until(() => reply.isEnded, 'the end of the response')
  t.strictSame([reply.message.statusCode, reply.text], [401, 'no'])
  t.strictSame(await recordingNames(server, 'api'), [])
  await until(
    () => request.socket?.destroyed === true,
    'the end of the connection, as the client does not end the body',
  )
})

t.test('a response without an upstream leaves the connection usable [PROXY-14]', async t => {
  const server = await proxyTo(t, [])
  const socket = net.connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', chunk => (text += chunk.toString()))
  const post = 'POST /proxy/none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody'
  socket.write(post)
  await until(() => text.includes('404 Not Found'), 'the first response')
  socket.write(post)
  await until(() => text.split('404 Not Found').length === 3, 'the second response')
})

t.test('rules test a body with a length, and the head of others [RULE-28]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'passthrough' }])
  await putRule(server, 'body', { match: { body: { contains: 'x' } }, then: { fail: 503 } })
  t.equal((await send(server.url, '/proxy/api/a', { method: 'POST', body: 'xyz' })).status, 503)
  t.equal((await send(server.url, '/proxy/api/a', { method: 'POST', body: 'abc' })).status, 200)
  t.equal(upstream.received.at(-1)?.body, 'abc', 'a body that rules have read is forwarded')
  const endless = open(`${server.url}/proxy/api/a`)
  endless.request.write('x')
  endless.request.end('yz')
  t.equal((await endless.response).message.statusCode, 200)
  await putRule(server, 'head', { match: { path: '/proxy/api/head' }, then: { fail: 502 } })
  const waiting = open(`${server.url}/proxy/api/head`)
  waiting.request.on('error', () => {})
  waiting.request.write('x')
  t.equal((await waiting.response).message.statusCode, 502, 'before the end of the body')
  waiting.request.destroy()
})

t.test('the inspector shows the body [PROXY-14]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'passthrough' }])
  const { request, response } = open(`${server.url}/proxy/api/a`)
  request.write('one,')
  request.end('two')
  await response
  const { requests } = (await send(server.url, '/_svc/requests')).json() as { requests: { body: string }[] }
  t.match(requests[0], { body: 'one,two' })
})
