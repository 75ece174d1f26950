/** Paths spelled so that a guard could read another path than the router: none gives access to protected routes. */
import t from 'tap'
import { connect } from 'node:net'
import { serve } from '../../support/server.ts'

const SECRET = 'a-secret-admin-token'
const KEY = 'sk-fuzz-0123456789'
const server = await serve(t, {
  env: {
    SVC_LOG_FORMAT: 'json',
    SVC_CONTROL_AUTH: 'token',
    SVC_ADMIN_TOKEN: SECRET,
    SVC_SHARED_MODE: 'true',
    SVC_REQUIRE_KEY: 'true',
  },
})

function exchange(target: string, headers = '', method = 'GET'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.ports.http!, '127.0.0.1', () =>
      socket.write(`${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`, 'latin1'),
    )
    let text = ''
    socket
      .on('data', chunk => {
        text += chunk.toString('latin1')
      })
      .on('error', reject)
    socket.on('close', () =>
      resolve({ status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) }),
    )
  })
}

/** Spellings that some parser may treat as the same path. */
function spellingsOf(path: string): string[] {
  const [, first = '', ...rest] = path.split('/')
  const tail = rest.map(segment => `/${segment}`).join('')
  const escaped = (text: string): string =>
    [...text].map(character => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
  return [
    path,
    `/${escaped(first)}${tail}`,
    `/${first[0]}${escaped(first.slice(1))}${tail}`,
    `/${escaped(first).toUpperCase()}${tail}`,
    `/%25${escaped(first).slice(1)}${tail}`,
    `/${path}`,
    `//${first}/${tail}`,
    `/./${first}${tail}`,
    `/x/../${first}${tail}`,
    `/%2e/${first}${tail}`,
    `/x/%2e%2e/${first}${tail}`,
    `/x/..%2f${first}${tail}`,
    `/.%2e/${first}${tail}`,
    `/x%2f..%2f${first}${tail}`,
    `/\\${first}${tail}`,
    `\\${first}${tail}`,
    `/${first}\\${tail.slice(1)}`,
    `/%5c${first}${tail}`,
    `/${first}%5c${tail.slice(1)}`,
    `/x\\..\\${first}${tail}`,
    `/${first};a=b${tail}`,
    `/;/${first}${tail}`,
    `/x;/..;/${first}${tail}`,
    `/${first}${tail};x`,
    `/${first}${tail}%3b`,
    `/${first}${tail}/`,
    `/${first}${tail}//`,
    `/${first}${tail}/.`,
    `/${first}${tail}/..`,
    `/${first}%00${tail}`,
    `/%00${first}${tail}`,
    `/${first}${tail}%00`,
    `/${first}${tail}%00.js`,
    `/${first}${tail}%20`,
    `/${first}${tail}%09`,
    `/${first}${tail}.json`,
    `/${first}${tail}%0a`,
    `/%c0%af${first}${tail}`,
    `/x%c0%ae%c0%ae/${first}${tail}`,
    `/%e0%80%af${first}${tail}`,
    `/${first}%c0%af${tail.slice(1)}`,
    `/%ef%bc%8f${first}${tail}`,
    `/${first}%e2%88%95${tail.slice(1)}`,
    `/${first.replace('_', '%ef%bc%bf')}${tail}`,
    path.toUpperCase(),
    `${path}?x`,
    `${path}#x`,
    `${path}%23x`,
    `${path}%3Fx`,
    `http://a${path}`,
    `http://a/${path}`,
    `HTTP://other${path}?x`,
    `http://a/x/..${path}`,
    `http://a?${path}`,
    `http://${path}`,
    `https://a${path}`,
    `http://u:p@a${path}`,
    `ftp://a${path}`,
    `${path.slice(1)}`,
    `*${path}`,
    `http:${path}`,
  ].filter(target => !/[ \r\n]/.test(target))
}

t.test('no spelling of a path of the control plane is served without the token [HARD-5]', async t => {
  for (const path of ['/_svc/config', '/_svc/plugins', '/_svc/requests', '/_svc/mocks']) {
    t.equal((await exchange(path, `Authorization: Bearer ${SECRET}\r\nX-Svc-Key: ${KEY}\r\n`)).status, 200, path)
    for (const target of spellingsOf(path)) {
      const { status, body } = await exchange(target, `X-Svc-Key: ${KEY}\r\n`)
      t.ok(
        [400, 401, 404].includes(status) || (status === 200 && target.startsWith('http://a?')),
        `${target}: ${status} ${body.slice(0, 80)}`,
      )
    }
  }
})

t.test('no spelling of an instance-wide change bypasses the admin token [HARD-5]', async t => {
  for (const target of spellingsOf('/_svc/plugins/soap/disable')) {
    const { status } = await exchange(
      target,
      `X-Svc-Key: ${KEY}\r\nX-Original-URL: /\r\nX-Rewrite-URL: /\r\nX-HTTP-Method-Override: GET\r\n`,
      'POST',
    )
    t.ok([400, 401, 404, 405].includes(status), `${target}: ${status}`)
  }
  t.equal(server.plugins().find(({ name }) => name === 'soap')?.state, 'enabled')
})

t.test('no path through an exempt prefix leads to a protected route [HARD-5]', async t => {
  t.equal((await exchange('/uuid', `X-Svc-Key: ${KEY}\r\n`)).status, 200)
  const around = ['/ui', '/docs', '/_svc', '/.well-known', '/favicon.ico', '/openapi.json', ''].flatMap(open => [
    `${open}/../uuid`,
    `${open}/%2e%2e/uuid`,
    `${open}/..%2fuuid`,
    `${open}/..;/uuid`,
    `${open}//uuid`,
    `${open}%2f..%2fuuid`,
    `${open}\\..\\uuid`,
    `${open};/uuid`,
    `${open}/.%00./uuid`,
    `http://a${open}/../uuid`,
    `${open}?/../uuid`,
    `${open}#/../uuid`,
    `${open}%23/../uuid`,
    `http://a${open}?@b/uuid`,
  ])
  for (const target of [...around, ...spellingsOf('/uuid')]) {
    const { status, body } = await exchange(target.startsWith('/') || target.startsWith('http') ? target : `/${target}`)
    t.notMatch(body, /^\{"uuid"/, `${target}: ${status}`)
  }
})

t.test(
  'paths excluded from the inspector are excluded in any spelling, and no spelling shows a key [HARD-5]',
  async t => {
    await exchange('/_svc/requests', `Authorization: Bearer ${SECRET}\r\n`, 'DELETE')
    for (const target of spellingsOf('/_svc/config')) await exchange(target, `Authorization: Bearer ${SECRET}\r\n`)
    for (const name of [
      'svc_key',
      'rb_key',
      '%73vc_key',
      'svc%5fkey',
      '?svc_key',
      '%3fsvc_key',
      '&svc_key',
      'a=1;svc_key',
      'a#svc_key',
      'svc_key=&svc_key',
    ]) {
      await exchange(`/uuid?${name}=${KEY}`, `X-Svc-Key: ${KEY}\r\nReferer: http://a/?${name}=${KEY}\r\n`)
    }
    const { body } = await exchange('/_svc/requests?limit=500', `Authorization: Bearer ${SECRET}\r\n`)
    const { requests } = JSON.parse(body) as {
      requests: { uri: string; path: string; query: string | null; headers: { name: string; value: string }[] }[]
    }
    t.ok(requests.length > 5)
    t.notMatch(body, new RegExp(SECRET))
    for (const { uri, path, query } of requests) {
      t.not(decodeURIComponent(path.replaceAll(/%(?![2-7][\da-f])/gi, '%25')), '/_svc/config', uri)
      const shown = new URLSearchParams(query ?? '')
      for (const name of ['svc_key', 'rb_key']) t.notOk(shown.getAll(name).includes(KEY), uri)
    }
  },
)
