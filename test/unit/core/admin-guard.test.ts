/** The decisions of the admin guard. */
import t from 'tap'
import { createAdminGuard, presentedCredential } from '../../../core/http/access/admin-guard.ts'

const TOKEN = 's3cret-t0ken'
const guarded = createAdminGuard({ adminToken: TOKEN, publicMode: false })

t.test('allows everybody without a token, nobody in public mode [ADMIN-1]', async t => {
  const open = createAdminGuard({ adminToken: null, publicMode: false })
  const closed = createAdminGuard({ adminToken: null, publicMode: true })
  for (const headers of [{}, { authorization: 'Bearer x' }, { 'x-svc-admin-token': '' }]) {
    t.equal(open.check(headers, false), null)
    t.equal(open.isAdminToken(headers), false)
    for (const isControlAdmin of [false, true]) {
      t.strictSame(closed.check(headers, isControlAdmin), {
        status: 403,
        headers: {},
        body: { error: 'disabled in public mode: set SVC_ADMIN_TOKEN to enable it' },
      })
    }
  }
})

t.test('requires the token if one is configured [ADMIN-2]', async t => {
  for (const publicMode of [false, true]) {
    const guard = createAdminGuard({ adminToken: TOKEN, publicMode })
    t.equal(guard.check({ authorization: `Bearer ${TOKEN}` }, false), null)
    t.equal(guard.check({}, true), null)
    t.equal(guard.check({ authorization: 'Bearer wrong' }, true), null)
    t.strictSame(guard.check({}, false), {
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer realm="svc"' },
      body: { error: 'admin token required: send Authorization: Bearer <token> or X-Svc-Admin-Token' },
    })
  }
})

t.test('accepts the token in either header [ADMIN-3]', async t => {
  const accepted = [
    { 'x-svc-admin-token': TOKEN },
    { 'x-svc-admin-token': ` ${TOKEN} ` },
    { authorization: `Bearer ${TOKEN}` },
    { authorization: `bearer ${TOKEN}` },
    { authorization: `BEARER   ${TOKEN}  ` },
    { authorization: `Bearer\t${TOKEN}` },
    { 'x-svc-admin-token': TOKEN, authorization: 'Basic eDp5' },
    { 'x-svc-admin-token': TOKEN, authorization: 'Bearer foreign.jwt.token' },
  ]
  for (const headers of accepted) {
    t.equal(guarded.isAdminToken(headers), true, JSON.stringify(headers))
    t.equal(guarded.check(headers, false), null)
  }
  const refused = [
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer ' },
    { authorization: TOKEN },
    { authorization: `Basic ${TOKEN}` },
    { authorization: `Bearer${TOKEN}` },
    { authorization: `Token ${TOKEN}` },
    { authorization: `Bearer ${TOKEN}x` },
    { authorization: `Bearer ${TOKEN.slice(1)}` },
    { authorization: `Bearer ${TOKEN.toUpperCase()}` },
    { authorization: `Bearer ${TOKEN}, ${TOKEN}` },
    { 'x-svc-admin-token': 'wrong' },
    { 'x-svc-admin-token': `Bearer ${TOKEN}` },
    { 'x-svc-admin-token': '' },
    { 'x-svc-admin-token': 'wrong', authorization: `Bearer ${TOKEN}` },
    { 'x-svc-admin-token': '', authorization: `Bearer ${TOKEN}` },
    { authorization: `Bearer ${'x'.repeat(100_000)}` },
    { authorization: `Bearer${' '.repeat(100_000)}` },
    { 'x-svc-admin-token': ' '.repeat(100_000) },
  ]
  for (const headers of refused) {
    t.equal(guarded.isAdminToken(headers), false, JSON.stringify(headers).slice(0, 60))
    t.equal(guarded.check(headers, false)?.status, 401)
  }
})

t.test('compares a token beyond ASCII by its bytes [ADMIN-3]', async t => {
  const guard = createAdminGuard({ adminToken: 'schl\u00fcssel\u2603', publicMode: false })
  const asNodeReadsIt = Buffer.from('schl\u00fcssel\u2603').toString('latin1')
  t.equal(guard.isAdminToken({ 'x-svc-admin-token': asNodeReadsIt }), true)
  t.equal(guard.isAdminToken({ 'x-svc-admin-token': 'schl\u00fcssel' }), false)
})

t.test('returns the presented credential [ADMIN-3]', async t => {
  t.equal(presentedCredential({}), null)
  t.equal(presentedCredential({ authorization: 'Bearer a b' }), 'a b')
  t.equal(presentedCredential({ authorization: 'Bearer a', 'x-svc-admin-token': 'b' }), 'b')
  t.equal(presentedCredential({ authorization: 'Bearer a', 'x-svc-admin-token': '' }), null)
})
