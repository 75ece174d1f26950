/** Export of captured requests as HAR and as curl commands. */
import t from 'tap'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { curlText } from '../../../core/inspector/curl.ts'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'

/** Not synchronous: the servers are in this process. */
const run = promisify(execFile)

async function exported(server: TestServer, query: string): Promise<{ type: string | null; text: string }> {
  const response = await fetch(`${server.url}/_svc/requests/export?${query}`)
  return { type: response.headers.get('content-type'), text: await response.text() }
}

async function list(server: TestServer): Promise<InspectorEntry[]> {
  return ((await (await fetch(`${server.url}/_svc/requests?order=oldest`)).json()) as { requests: InspectorEntry[] })
    .requests
}

t.test('HAR, oldest first, with filters and responses [SEE-5]', async t => {
  const server = await serveLimits(t)
  await fetch(`${server.url}/x?a=1&a=%20`, {
    method: 'POST',
    body: '{"n":1}',
    headers: { 'Content-Type': 'application/json' },
  })
  await fetch(`${server.url}/x`, { method: 'PUT', body: Buffer.from([0xff, 0]) })
  await fetch(`${server.url}/x/bytes/3`)
  const { type, text } = await exported(server, 'format=har')
  t.equal(type, 'application/json; charset=utf-8')
  const { log } = JSON.parse(text) as { log: { version: string; creator: object; entries: Record<string, never>[] } }
  t.equal(log.version, '1.2')
  t.match(log.creator, { name: 'svc', version: String })
  const [posted] = await list(server)
  t.match(log.entries, [
    {
      startedDateTime: posted!.timestamp,
      time: posted!.latency_ms,
      request: {
        method: 'POST',
        url: `${server.url}/x?a=1&a=%20`,
        httpVersion: 'HTTP/1.1',
        headers: posted!.headers,
        queryString: [
          { name: 'a', value: '1' },
          { name: 'a', value: ' ' },
        ],
        postData: { mimeType: 'application/json', text: '{"n":1}' },
        bodySize: 7,
      },
      response: {
        status: 200,
        headers: posted!.response_headers,
        content: { size: 4, mimeType: /^text\/plain/, text: 'fine' },
        bodySize: 4,
      },
    },
    { request: { method: 'PUT', postData: { text: '/wA=', _encoding: 'base64' } } },
    { request: { method: 'GET' }, response: { content: { size: 3, text: '\0\0\0' } } },
  ])
  t.notOk('postData' in log.entries[2]!.request!)
  for (const entry of log.entries)
    for (const key of ['cookies', 'headers', 'queryString', 'headersSize', 'bodySize'])
      t.ok(key in entry.request!, `${key} is required`)
  const filtered = JSON.parse((await exported(server, 'format=har&method=PUT&base_url=https://gw.test/v1/')).text) as {
    log: { entries: { request: { url: string } }[] }
  }
  t.strictSame(
    filtered.log.entries.map(({ request }) => request.url),
    ['https://gw.test/v1/x'],
  )
  t.strictSame(JSON.parse((await exported(server, 'format=har&method=PATCH')).text).log.entries, [])
})

t.test('wrong parameters [SEE-5]', async t => {
  const server = await serveLimits(t)
  const error = async (query: string) => JSON.parse((await exported(server, query)).text) as object
  t.match(await error(''), { error: 'unknown_format', formats: ['har', 'curl'] })
  t.match(await error('format=HAR'), { error: 'unknown_format' })
  for (const url of ['ftp://a', 'x', 'http://a/?b=1', 'http://a/%23#b'])
    t.match(await error(`format=har&base_url=${encodeURIComponent(url)}`), {
      error: 'invalid_filter',
      parameter: 'base_url',
    })
  t.match(await error('format=har&wait_for=1'), { error: 'invalid_filter', parameter: 'wait_for' })
  const shown = await serveLimits(t, { SVC_PUBLIC_MODE: 'true' })
  t.match(JSON.parse((await exported(shown, 'format=har')).text), { error: 'session_required' })
})

/** Sends raw bytes and waits for the end of the response. */
function sendRaw(server: TestServer, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.ports.http!, '127.0.0.1', () => socket.write(bytes))
    socket
      .on('data', () => socket.end())
      .on('close', () => resolve())
      .on('error', reject)
  })
}

t.test('curl commands send the same requests again [SEE-6]', async t => {
  const server = await serveLimits(t)
  const target = await serveLimits(t)
  const send = (path: string, method: string, headers: Record<string, string> = {}, body?: string | Buffer) =>
    new Promise<void>((resolve, reject) => {
      httpRequest(server.url + path, { method, headers, agent: false }, answer => answer.on('close', resolve).resume())
        .on('error', reject)
        .end(body)
    })
  await send('/x', 'GET')
  await send("/x?q=it's&b={a,b}&c=[1-3]&d=$(id)&e=`id`", 'GET', { 'X-Quote': `it's "$HOME" \\ !`, 'X-Empty': '' })
  await send('/x/../x/./a', 'GET', { Accept: 'text/plain', 'User-Agent': 'test/1' })
  await send('/x', 'HEAD')
  await send('/x', 'POST', { 'Content-Type': 'application/json' }, '{"a":"it\'s ü"}')
  await send('/x', 'POST', {}, '@/etc/passwd')
  await send('/x', 'PUT', {}, 'two\nlines\r\n')
  await send('/x', 'PUT', {}, Buffer.from([0, 1, 0xff, 0x0a]))
  await send('/x', 'GET', { 'Content-Type': 'text/plain' }, 'a body')
  await send('/x', 'DELETE', { Cookie: 'a=b; c=d', Authorization: 'Bearer t' })
  const { type, text } = await exported(server, `format=curl&base_url=${target.url}`)
  t.equal(type, 'text/plain; charset=utf-8')
  const lines = text.split('\n').slice(0, -1)
  const before = await list(server)
  t.equal(lines.length, before.length, 'one command a line')
  for (const line of lines) await run('sh', ['-c', `${line} -s -o /dev/null --max-time 10`])
  const compared = (entries: InspectorEntry[]) =>
    entries.map(({ method, uri, headers, body, body_base64 }) => ({
      method,
      uri,
      headers: Object.fromEntries(
        headers
          .filter(({ name }) => !['host', 'content-length', 'connection', 'transfer-encoding'].includes(name))
          .map(({ name, value }) => [name, value]),
      ),
      body,
      body_base64,
    }))
  t.strictSame(compared(await list(target)), compared(before))
})

t.test('bytes that are not text are escaped in curl commands [SEE-6]', async t => {
  const server = await serveLimits(t)
  const target = await serveLimits(t)
  const head = (name: string, bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(`GET /x HTTP/1.1\r\nHost: a\r\nUser-Agent: u\r\nAccept: */*\r\n${name}: `),
      bytes,
      Buffer.from('\r\n\r\n'),
    ])
  await sendRaw(server, head('X-Utf8', Buffer.from('grüße')))
  await sendRaw(server, head('X-Latin', Buffer.from([0x61, 0xff, 0x25, 0x27, 0x5c, 0x62])))
  const { text } = await exported(server, `format=curl&base_url=${target.url}`)
  t.match(text, 'x-utf8: grüße')
  for (const line of text.split('\n').slice(0, -1)) await run('sh', ['-c', `${line} -s -o /dev/null`])
  const headers = (entries: InspectorEntry[]) =>
    entries.map(entry => entry.headers.find(({ name }) => name.startsWith('x-')))
  t.strictSame(headers(await list(target)), headers(await list(server)))
})

t.test('a body of which only the beginning is stored is marked [SEE-6]', async t => {
  const server = await serveLimits(t)
  await fetch(`${server.url}/x`, { method: 'POST', body: 'x'.repeat(70_000) })
  const { text } = await exported(server, 'format=curl')
  t.match(text, /^curl .* # only the beginning of a body of 70000 bytes\n$/)
  const [entry] = await list(server)
  t.match(
    [...curlText([{ ...entry!, uri: '*', method: 'OPTIONS', body_size: 0 }], 'http://a')][0],
    /--request-target '\*'.* http:\/\/a\/\s/,
  )
})

t.test('limit and order select as in the list [SEE-5]', async t => {
  const server = await serveLimits(t)
  for (const path of ['/x/1', '/x/2', '/x/3']) await fetch(server.url + path)
  const paths = async (query: string): Promise<string[]> => {
    const { log } = JSON.parse((await exported(server, `format=har&${query}`)).text) as {
      log: { entries: { request: { url: string } }[] }
    }
    return log.entries.map(({ request }) => new URL(request.url).pathname)
  }
  t.strictSame(await paths(''), ['/x/1', '/x/2', '/x/3'])
  t.strictSame(await paths('limit=2'), ['/x/1', '/x/2'])
  t.strictSame(await paths('order=newest&limit=2'), ['/x/3', '/x/2'])
  for (const query of ['limit=many', 'order=random'])
    t.equal((await fetch(`${server.url}/_svc/requests/export?format=har&${query}`)).status, 400, query)
})
