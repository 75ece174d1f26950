/** The traffic `login`: a browser, a gateway that logs users in, and an issuer of svc (sheet demos, 3.1). */
import t, { type Test } from 'tap'
import type { DemoResult } from '../../../plugins/demos/run/demo-run.ts'
import { oidcLogin } from '../../support/demo-login-gateway.ts'
import { startDemoProxy } from '../../support/demo-proxy.ts'
import { demoOf, demoRunner } from '../../support/demo-runner.ts'
import { serve } from '../../support/server.ts'

const PATH = '/auth/jwt?issuer=*'

/** Logs in once, through a gateway that uses the issuer of these settings. */
async function logIn(
  t: Test,
  { issuer, user = 'alice', expect }: { issuer: { name: string; login?: object }; user?: string; expect: object[] },
  more: Parameters<typeof oidcLogin>[2] & { host?: string } = {},
): Promise<DemoResult> {
  const { url } = await serve(t, { plugins: ['demos', 'echo', 'auth', 'identity'] })
  const { name, ...settings } = issuer
  const put = { method: 'PUT', body: JSON.stringify(settings) }
  t.ok((await fetch(`${url}/_svc/identity/issuers/${name}`, put)).ok)
  const shownAs = more.host === undefined ? url : `http://${more.host}:${new URL(url).port}`
  const gateway = await startDemoProxy(t, url, { handle: oidcLogin(url, name, { ...more, shownAs }) })
  const login = { issuer: name, user, path: PATH }
  const route = { path: PATH, login: { issuer: name, user: 'alice' } }
  const demo = demoOf([{ title: 'Login', send: { login }, expect }], { route })
  return (await demoRunner(url, demo))(gateway)
}

const OPENED = [{ responses: { status: 200, logins: 1, json: { '/claims/sub': 'alice' } } }]

for (const variant of ['form', 'mfa', 'consent', 'auto'])
  t.test(`login variant ${variant}`, async t => {
    const issuer = { name: `demo-${variant}`, login: { variant, ...(variant === 'auto' ? { user: 'alice' } : {}) } }
    const logins = variant === 'auto' ? 0 : 1
    const expect = [{ responses: { status: 200, logins, json: { '/claims/sub': 'alice' } } }]
    t.match(await logIn(t, { issuer, expect }), { verdict: /^seen$/, reason: null })
  })

t.test('the answer of the issuer comes in a form', async t => {
  const issuer = { name: 'demo-posting' }
  t.match(await logIn(t, { issuer, expect: OPENED }, { usesForm: true }), { verdict: /^seen$/, reason: null })
})

t.test('svc is found by the name that the gateway gives it, and other places are not visited', async t => {
  const issuer = { name: 'demo-named' }
  const named = await logIn(t, { issuer, expect: OPENED }, { host: 'svc.internal' })
  t.match(named, { verdict: /^seen$/, reason: null })
})

t.test('an unknown user is refused once', async t => {
  const expect = [{ responses: { status: 401, logins: 1, body: { contains: 'Wrong user name or password' } } }]
  const refused = await logIn(t, { issuer: { name: 'demo-strict' }, user: 'mallory', expect })
  t.match(refused, { verdict: /^seen$/, reason: null })
})
