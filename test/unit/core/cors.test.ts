/** CORS headers and Vary. */
import t from 'tap'
import { createCors, mergeVary } from '../../../core/http/response/cors.ts'

const any = createCors({ origins: ['*'] })
const list = createCors({ origins: ['https://a.example', 'http://localhost:3000', 'null'] })
const off = createCors({ origins: [] })
const EXPOSED = 'X-Request-Id, X-Svc-Fault'
const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

t.test('allows every origin, and requests without one [CORS-1]', async t => {
  for (const origin of ['https://a.example', 'null', '', undefined]) {
    const exposed = origin === undefined ? {} : { 'Access-Control-Expose-Headers': EXPOSED }
    t.strictSame(any.headers(origin, EXPOSED), { 'Access-Control-Allow-Origin': '*', ...exposed }, String(origin))
    t.equal(any.allowedOrigin(origin), '*')
  }
  t.equal(any.vary, null)
  t.equal(any.isOn, true)
})

t.test('allows listed origins only [CORS-2]', async t => {
  for (const origin of ['https://a.example', 'http://localhost:3000', 'null']) {
    t.strictSame(
      list.headers(origin, EXPOSED),
      { Vary: 'Origin', 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED },
      origin,
    )
    t.equal(list.allowedOrigin(origin), origin)
  }
  const others = [
    'https://b.example',
    'https://a.example/',
    'https://A.example',
    'http://a.example',
    'https://a.example:443',
    'https://a.example.evil',
    'https://x.a.example',
    '*',
    '',
    undefined,
    '__proto__',
  ]
  for (const origin of others) {
    t.strictSame(list.headers(origin, EXPOSED), { Vary: 'Origin' }, String(origin))
    t.equal(list.allowedOrigin(origin), null)
  }
  t.equal(list.vary, 'Origin')
})

t.test('responds to preflights [CORS-3]', async t => {
  const asked = {
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'content-type, x-svc-session',
  }
  const allowed = {
    'Access-Control-Allow-Methods': 'PATCH',
    'Access-Control-Allow-Headers': 'content-type, x-svc-session',
    'Access-Control-Max-Age': '600',
  }
  t.strictSame(any.preflight({ ...asked, origin: 'https://x.example' }), {
    Vary: PREFLIGHT_VARY,
    'Access-Control-Allow-Origin': '*',
    ...allowed,
  })
  t.strictSame(any.preflight(asked), { Vary: PREFLIGHT_VARY, 'Access-Control-Allow-Origin': '*', ...allowed })
  t.strictSame(list.preflight({ ...asked, origin: 'https://a.example' }), {
    Vary: PREFLIGHT_VARY,
    'Access-Control-Allow-Origin': 'https://a.example',
    ...allowed,
  })
  t.strictSame(list.preflight({ ...asked, origin: 'https://b.example' }), { Vary: PREFLIGHT_VARY })
  t.strictSame(list.preflight(asked), { Vary: PREFLIGHT_VARY })
  const bare = any.preflight({ 'access-control-request-method': 'GET', origin: 'https://x.example' })
  t.equal('Access-Control-Allow-Headers' in bare, false)
  t.equal(
    'Access-Control-Allow-Headers' in
      any.preflight({ 'access-control-request-method': 'GET', 'access-control-request-headers': '' }),
    false,
  )
})

t.test('never allows credentials [CORS-3]', async t => {
  const asked = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  for (const cors of [any, list, off]) {
    for (const headers of [cors.preflight(asked), cors.headers('https://a.example', EXPOSED)]) {
      t.notOk(Object.keys(headers).some(name => /credentials/i.test(name)))
    }
  }
})

t.test('sends no headers if disabled [CORS-4]', async t => {
  t.equal(off.isOn, false)
  t.equal(off.vary, null)
  t.equal(off.allowedOrigin('https://a.example'), null)
  t.strictSame(off.headers('https://a.example', EXPOSED), {})
  t.strictSame(off.preflight({ origin: 'https://a.example', 'access-control-request-method': 'GET' }), {})
})

t.test('adds missing members to Vary [CORS-5]', async t => {
  const rows: [existing: string, added: string, expected: string][] = [
    ['Accept', 'Origin', 'Accept, Origin'],
    ['Accept-Encoding, Accept', 'Origin', 'Accept-Encoding, Accept, Origin'],
    ['origin', 'Origin', 'origin'],
    ['Accept,ORIGIN', 'Origin', 'Accept, ORIGIN'],
    ['', 'Origin', 'Origin'],
    [' , ', 'Origin', 'Origin'],
    ['*', 'Origin', '*'],
    ['Accept', '', 'Accept'],
    ['Accept', PREFLIGHT_VARY, `Accept, ${PREFLIGHT_VARY}`],
    ['Accept', 'Origin, origin', 'Accept, Origin'],
    ['X-Origin', 'Origin', 'X-Origin, Origin'],
  ]
  for (const [existing, added, expected] of rows) t.equal(mergeVary(existing, added), expected, existing)
})
