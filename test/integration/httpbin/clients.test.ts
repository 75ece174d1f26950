/** Clients that people use against httpbin. */
import { spawnSync, execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { join } from 'node:path'
import t from 'tap'
import WebSocket from 'ws'
import { root } from '../../support/examples.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const plugins = ['httpbin', 'images', 'transfer']
const { url } = await serve(t, { plugins })
const go = await serve(t, { plugins, settings: { httpbin: { flavour: 'go-httpbin' } } })
const hasCurl = spawnSync('curl', ['--version']).error === undefined
const curl = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('curl', ['-s', '--max-time', '10', ...args])).stdout

t.test('curl signs in with Digest and Basic [HB-7, HB-16]', { skip: !hasCurl && 'curl is not installed' }, async t => {
  const right = { authenticated: true, user: 'u' }
  for (const path of ['auth/u/p', 'auth/u/p/SHA-256', 'auth/u/p/MD5', 'auth/u/p?x=1'])
    for (const base of [url, go.url])
      t.match(JSON.parse(await curl('--digest', '-u', 'u:p', `${base}/httpbin/digest-auth/${path}`)), right, path)
  t.match(JSON.parse(await curl('--basic', '-u', 'u:p', `${url}/httpbin/basic-auth/u/p`)), right)
  t.match(JSON.parse(await curl('--compressed', `${url}/httpbin/gzip`)), { gzipped: true })
  t.match(JSON.parse(await curl('-F', 'a=1', '-F', `f=@${join(root, 'LICENSE')}`, `${url}/httpbin/post`)), {
    form: { a: '1' },
  })
  t.equal(
    await curl(
      '--digest',
      '-u',
      'u:wrong',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      `${url}/httpbin/digest-auth/auth/u/p`,
    ),
    '401',
  )
})

t.test('fetch follows redirects to the end [HB-16]', async t => {
  const response = await fetch(`${url}/httpbin/redirect/5`)
  t.match(await response.json(), { url: `${url}/httpbin/get` })
  t.match(await (await fetch(`${url}/httpbin/redirect-to?url=/get`)).json(), { url: `${url}/get` })
})

t.test('the WebSocket echoes, up to its limit [HB-14, HB-16]', async t => {
  const address = `${go.url.replace('http', 'ws')}/httpbin/websocket/echo`
  const closed = await new Promise<{ texts: string[]; code: number }>((resolve, reject) => {
    const texts: string[] = []
    const socket = new WebSocket(`${address}?max_message_size=5&max_fragment_size=5`)
    socket.on('open', () => ['one', 'two', 'much too long'].forEach(text => socket.send(text)))
    socket.on('message', message => texts.push(String(message)))
    socket.on('close', code => resolve({ texts, code }))
    socket.on('error', reject)
  })
  t.strictSame(closed, { texts: ['one', 'two'], code: 1009 })
  const refused = await new Promise<number | undefined>(resolve => {
    const socket = new WebSocket(`${address}?max_message_size=0`)
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    socket.on('error', () => {})
  })
  t.equal(refused, 400)
})

t.test('the challenges of Digest have quoted strings where RFC 7616 wants them [HB-7]', async t => {
  for (const base of [url, go.url]) {
    const { headers } = await send(base, '/httpbin/digest-auth/auth/u/p/SHA-256')
    const challenge = headers['www-authenticate'] ?? ''
    for (const name of ['realm', 'nonce', 'opaque', 'qop']) t.match(challenge, new RegExp(`[ ,]${name}="[^"]+"`), name)
    t.match(challenge, /algorithm=SHA-256(?:,|$)/)
  }
})

t.test('stale nonces and cookies of Digest [HB-7]', { skip: !hasCurl && 'curl is not installed' }, async t => {
  const path = '/httpbin/digest-auth/auth/u/p'
  const withCookie = (Cookie: string) =>
    send(url, path, { headers: { Authorization: 'Digest username="u", nonce="n1", uri="x", response="y"', Cookie } })
  t.match((await withCookie('stale_after=0')).headers['www-authenticate'], 'stale=True')
  t.match((await withCookie('last_nonce=n1')).headers['www-authenticate'], 'stale=True')
  t.match((await withCookie('a=1')).headers['www-authenticate'], 'stale=False')
  const challenge = await send(url, `${path}/MD5/2`)
  t.strictSame(challenge.headers['set-cookie'], ['stale_after=2; Path=/', 'fake=fake_value; Path=/'])
})
