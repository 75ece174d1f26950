/** Credentials are removed before anything is written. */
import { readFile, stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'
import t from 'tap'
import { send } from '../../support/request.ts'
import { foldersOf, onlyText, proxyTo, recordingNames, startUpstream } from './upstream.ts'

const SECRET = 's3cr3t-0123456789'

t.test('credentials of requests are not written [PROXY-30]', async t => {
  const upstream = await startUpstream(t, (_request, response) => response.end('{}'))
  const server = await proxyTo(t, [
    {
      name: 'api',
      target: upstream.url,
      match_headers: ['Authorization', 'Cookie', 'X-Other-Api-Key', 'Api-Key', 'X-Secret', 'X-Plain'],
      redact: { headers: ['X-Secret'], json: ['/customer/iban', '/list/1'] },
    },
  ])
  await send(
    server.url,
    `/proxy/api/x?api_key=${SECRET}&Client-Secret=${SECRET}&token=${SECRET}&token=${SECRET}&plain=kept`,
    {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${SECRET}`,
        Cookie: `a=${SECRET}`,
        'X-Other-Api-Key': SECRET,
        'Api-Key': SECRET,
        'X-Secret': SECRET,
        'X-Plain': 'kept',
      },
      body: JSON.stringify({
        password: SECRET,
        deep: [{ 'Access-Token': SECRET, secret: { any: SECRET } }],
        customer: { iban: SECRET, name: 'kept' },
        list: ['kept', SECRET],
      }),
    },
  )
  await send(server.url, '/proxy/api/form', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `grant_type=kept&client_secret=${SECRET}&refresh_token=${SECRET}`,
  })
  t.equal(upstream.received[0]?.headers.authorization, `Bearer ${SECRET}`, 'the upstream gets them')
  const names = await recordingNames(server, 'api')
  t.equal(names.length, 2)
  for (const name of names) {
    const text = await readFile(join(foldersOf(server, 'api'), name), 'utf8')
    t.notMatch(text, SECRET)
    t.match(text, /REDACTED/)
    t.match(text, /kept/)
  }
})

t.test('credentials in responses are not written, and those that the upstream echoes [PROXY-31]', async t => {
  const token = 'ey-token-of-the-response'
  const own = 'billing-token-of-svc'
  const bodies: Record<string, (response: import('node:http').ServerResponse) => unknown> = {
    '/json': response => {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ access_token: token, kept: { secret: token }, echo: `Bearer ${own} ${SECRET}` }))
    },
    '/text': response => response.end(`kept {"refresh_token" : "${token}"} ${own} ${SECRET}`),
    '/gzip': response => {
      response.setHeader('Content-Encoding', 'gzip')
      response.end(gzipSync(`kept ${own} ${SECRET} {"password":"${token}"}`))
    },
    '/split': async response => {
      response.write(`kept ${own.slice(0, 9)}`)
      await wait(15)
      response.write(`${own.slice(9)} {"token":"${token.slice(0, 5)}`)
      await wait(15)
      response.end(`${token.slice(5)}"}`)
    },
    '/headers': response => {
      response.writeHead(302, {
        'Set-Cookie': [`sid=${token}; Path=/kept; HttpOnly`, `x=${token}`],
        'X-Their-Api-Key': token,
        Location: `/next?a=kept&token=${token}`,
        'X-Echo': own,
      })
      response.end()
    },
  }
  const upstream = await startUpstream(t, ({ url }, response) => bodies[url]!(response))
  for (const path of Object.keys(bodies)) {
    const server = await proxyTo(
      t,
      [{ name: 'api', target: upstream.url, set_headers: { Authorization: 'Bearer ${OWN_TOKEN}' } }],
      { OWN_TOKEN: own },
    )
    const first = await send(server.url, `/proxy/api${path}`, { headers: { 'X-Client-Api-Key': SECRET } })
    if (path === '/json') t.match(first.json(), { access_token: token }, 'the client gets the response unchanged')
    const text = await onlyText(server, 'api')
    for (const secret of [token, own, SECRET]) t.notOk(text.includes(secret), `${path}: ${secret}`)
    t.match(text, /kept/, path)
    t.match(text, /REDACTED/, path)
    const replayed = await send(server.url, `/proxy/api${path}`)
    t.equal(replayed.headers['x-svc-proxy'], 'replay')
    if (path === '/headers') {
      t.strictSame(replayed.headers['set-cookie'], ['sid=REDACTED; Path=/kept; HttpOnly', 'x=REDACTED'])
      t.equal(replayed.headers.location, '/proxy/api/next?a=kept&token=REDACTED')
    }
  }
})

/** Different values, so that a leak names its source. */
const valueOf = (name: string): string => `s3cr3t.${name}.0123456789`
const MEMBERS =
  `accessToken clientSecret refreshToken private_key bearer sig X-Amz-Signature code code_verifier client_assertion
  assertion APIKey userPassword awsCredentials X-Amz-Security-Token x-hub-signature`.split(/\s+/)
const HEADERS = `X-Auth-Token Private-Token X-Vault-Token X-Amz-Security-Token X-Client-Signature`.split(' ')
const membersOf = (source: string): Record<string, string> =>
  Object.fromEntries(MEMBERS.map(name => [name, valueOf(`${source}-${name}`)]))

t.test('secrets of every spelling are not written, numbers of tokens are [PROXY-33]', async t => {
  const upstream = await startUpstream(t, (_request, response) => {
    for (const name of HEADERS) response.setHeader(name, valueOf(`response-${name}`))
    response.setHeader('Idempotency-Key', 'kept-key')
    response.setHeader('Content-Type', 'application/json')
    response.end(
      JSON.stringify({
        ...membersOf('response'),
        usage: { prompt_tokens: 11, max_tokens: 17 },
        token_type: 'kept-type',
        url: `https://u:${valueOf('user')}@host.example/o?X-Amz-Signature=${valueOf('url')}&X-Amz-Date=kept-date`,
      }),
    )
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, match_headers: HEADERS }])
  const ask = (source: string, maxTokens = 23) =>
    send(server.url, `/proxy/api/x?${new URLSearchParams({ ...membersOf(source), max_tokens: '19' })}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...Object.fromEntries(HEADERS.map(name => [name, valueOf(`${source}-${name}`)])),
      },
      body: JSON.stringify({
        ...membersOf(source),
        max_tokens: maxTokens,
        nested: `{"accessToken":"${valueOf(`${source}-nested`)}"}`,
      }),
    })
  t.equal((await ask('first')).headers['x-svc-proxy'], 'record')
  const text = await onlyText(server, 'api')
  t.strictSame(text.match(/s3cr3t[\w.-]+/g), null)
  for (const kept of [
    'prompt_tokens: 11',
    'max_tokens: 17',
    'max_tokens: 23',
    '"19"',
    'kept-key',
    'kept-type',
    'kept-date',
  ])
    t.ok(text.includes(kept), kept)
  t.equal((await ask('second')).headers['x-svc-proxy'], 'replay', 'what is redacted does not distinguish requests')
  t.equal((await ask('second', 24)).headers['x-svc-proxy'], 'record', 'what is kept does')

  const folder = foldersOf(server, 'api')
  t.equal((await stat(folder)).mode & 0o777, 0o700)
  for (const name of await recordingNames(server, 'api')) t.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
})

t.test('secrets of a request that the upstream repeats in any form are not written [PROXY-34]', async t => {
  const secret = 'p"ss\\w/rd-ö-0123456789'
  const short = 'pin7'
  const inJson = JSON.stringify({ echo: JSON.stringify({ of: JSON.stringify({ request: secret }) }) })
  const bodies: Record<string, (response: ServerResponse) => unknown> = {
    '/json': response => response.setHeader('Content-Type', 'application/json') && response.end(inJson),
    '/escaped': response =>
      response.setHeader('Content-Type', 'application/json') &&
      response.end(JSON.stringify({ echo: secret }).replace('ö', '\\u00f6').replace('/', '\\/')),
    '/text': response =>
      response.end(`data: ${inJson}\n\nplain ${secret}, ${encodeURIComponent(secret)} and "${short}"`),
    '/gzip': response => response.setHeader('Content-Encoding', 'gzip') && response.end(gzipSync(inJson)),
    '/split': async response => {
      response.setHeader('Content-Type', 'application/json')
      for (let at = 0; at < inJson.length; at += 9) {
        response.write(inJson.slice(at, at + 9))
        await wait(5)
      }
      response.end()
    },
    '/binary': async response => {
      response.write(Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from(secret).subarray(0, 8)]))
      await wait(15)
      response.end(Buffer.concat([Buffer.from(secret).subarray(8), Buffer.from([0xff])]))
    },
    '/header': response =>
      response.setHeader('X-Echo', `of ${encodeURIComponent(secret)}, "${short}"`) && response.end('x'),
  }
  const upstream = await startUpstream(t, ({ url }, response) => bodies[url.split('?')[0]!]!(response))
  const requests: [query: string, type: string, body: string][] = [
    ['', 'application/json', JSON.stringify({ password: secret, pinToken: short })],
    ['', 'application/x-www-form-urlencoded', String(new URLSearchParams({ code: secret, pinToken: short }))],
    [`?${new URLSearchParams({ sig: secret, pinToken: short })}`, 'text/plain', 'x'],
    ['', 'text/plain', JSON.stringify({ assertion: secret, pinToken: short })],
  ]
  const server = await proxyTo(
    t,
    requests.map((_, index) => ({ name: `api-${index}`, target: upstream.url })),
  )
  for (const [index, [query, type, body]] of requests.entries())
    for (const path of Object.keys(bodies))
      await send(server.url, `/proxy/api-${index}${path}${query}`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body,
      })
  for (const index of requests.keys()) {
    const names = await recordingNames(server, `api-${index}`)
    t.equal(names.length, Object.keys(bodies).length)
    for (const name of names) {
      const text = await readFile(join(foldersOf(server, `api-${index}`), name), 'utf8')
      const decoded = Object.values(text.match(/base64: (\S+)/g) ?? []).map(line =>
        Buffer.from(line.slice(8), 'base64').toString(),
      )
      t.notMatch([text, ...decoded].join(), /0123456789|pin7/, `${name} of request ${index}`)
    }
  }
})

t.test('a response in a coding in which no secret can be found is not recorded [PROXY-34]', async t => {
  const upstream = await startUpstream(t, (_request, response) => {
    response.setHeader('Content-Encoding', 'zstd')
    response.end(SECRET)
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const reply = await send(server.url, '/proxy/api/x')
  t.strictSame([reply.text, reply.headers['x-svc-proxy']], [SECRET, 'passthrough'])
  t.strictSame(await recordingNames(server, 'api'), [])
})

t.test('headers that svc adds are shown nowhere [PROXY-32]', async t => {
  const upstream = await startUpstream(t)
  const own = 'billing-token-of-svc'
  const server = await proxyTo(
    t,
    [{ name: 'api', target: upstream.url, set_headers: { Authorization: 'Bearer ${OWN_TOKEN}' } }],
    { OWN_TOKEN: own, SVC_LOG_LEVEL: 'debug' },
  )
  await send(server.url, '/proxy/api/x')
  t.equal(upstream.received[0]?.headers.authorization, `Bearer ${own}`)
  for (const path of ['/_svc/proxy', '/_svc/requests', '/_svc/config', '/_svc/plugins', '/openapi.json'])
    t.notOk((await send(server.url, path)).text.includes(own), path)
  t.notOk(server.lines.some(line => line.includes(own)))
})
