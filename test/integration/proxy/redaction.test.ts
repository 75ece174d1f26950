/** Credentials are removed before anything is written. */
import { readFile } from 'node:fs/promises'
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
