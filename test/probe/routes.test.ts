/**
 * Checks of routes that --routes names: access tokens, and TLS with the upstream.
 * Runs alone: it measures times. Mostly waits: for timeouts.
 */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { readRoutes } from '../../plugins/probe/client/routes.ts'
import type { Routes } from '../../plugins/probe/client/routes.ts'
import { startVerifyingProxy } from './proxies/verifying-proxy.ts'
import type { VerifierFault } from './proxies/verifying-proxy.ts'
import { checksNamed, probeThrough } from './probe-through.ts'

const IDS = ['TLS-UPSTREAM', 'TLS-SNI', 'JWT-BAD', 'JWT-ROTATE']
const TOKENS = ['JWT-BAD']

function routesOf(value: unknown): Routes {
  const routes = readRoutes(value)
  if (typeof routes === 'string') throw new Error(routes)
  return routes
}

const ROUTES = routesOf({
  jwt: '/api',
  tls: {
    good: '/tls-good',
    expired: '/tls-expired',
    'wrong-host': '/tls-wrong-host',
    'unknown-ca': '/tls-unknown-ca',
  },
})

const WRONG: { name: string; fault: VerifierFault; checks?: string[]; caught: Record<string, string> }[] = [
  { name: 'verifies everything', fault: {}, checks: IDS, caught: {} },
  {
    name: 'accepts any certificate',
    fault: { acceptsCertificates: true },
    caught: { 'TLS-UPSTREAM': 'warn' },
    checks: ['TLS-UPSTREAM', 'TLS-SNI', 'JWT-BAD'],
  },
  { name: 'accepts expired tokens', fault: { ignores: ['expiry'] }, caught: { 'JWT-BAD': 'fail' } },
  { name: 'accepts tokens for others', fault: { ignores: ['audience'] }, caught: { 'JWT-BAD': 'fail' } },
  { name: 'accepts tokens of others', fault: { ignores: ['issuer'] }, caught: { 'JWT-BAD': 'fail' } },
  { name: 'accepts unsigned tokens', fault: { ignores: ['algorithm'] }, caught: { 'JWT-BAD': 'fail' } },
  { name: 'does not verify signatures', fault: { ignores: ['signature'] }, caught: { 'JWT-BAD': 'fail' } },
  { name: 'accepts unknown keys', fault: { ignores: ['key'] }, caught: { 'JWT-BAD': 'fail' } },
  { name: 'takes the public key for a secret', fault: { confusesKeys: true }, caught: { 'JWT-BAD': 'fail' } },
]

t.test('tokens and certificates that must not pass are found [PRB-18]', async t => {
  const server = await launch({ plugins: ['probe', 'identity', 'tls'] })
  t.teardown(() => server.stop())
  for (const { name, fault, checks = TOKENS, caught } of WRONG) {
    const proxy = await startVerifyingProxy(server, fault)
    const run = await probeThrough(proxy.url, server.url, { checks: checksNamed(checks), routes: ROUTES })
    await proxy.close()
    const found = Object.fromEntries(
      run.results
        .filter(({ verdict }) => !['pass', 'note'].includes(verdict))
        .map(({ check, verdict }) => [check.id, verdict]),
    )
    t.strictSame(found, caught, `${name}: ${run.results.map(one => `${one.summary} ${one.reason ?? ''}`).join(' | ')}`)
    if (name === 'verifies everything') {
      const summaryOf = (id: string): string => run.results.find(({ check }) => check.id === id)!.summary
      t.match(summaryOf('TLS-SNI'), /^server name good\.tls\.localhost, ALPN \S+, TLSv1\.3$/)
      t.match(summaryOf('JWT-ROTATE'), /^accepted after \d s$/)
    }
  }
})

t.test('without routes they are skipped [PRB-18]', async t => {
  const server = await launch({ plugins: ['probe', 'identity', 'tls'] })
  t.teardown(() => server.stop())
  const proxy = await startVerifyingProxy(server)
  t.teardown(() => proxy.close())
  const reasons = async (routes?: Routes): Promise<(string | null)[]> =>
    (
      await probeThrough(proxy.url, server.url, {
        checks: checksNamed(['TLS-UPSTREAM', 'TLS-SNI', 'JWT-BAD']),
        ...(routes === undefined ? {} : { routes }),
      })
    ).results.map(({ reason }) => reason)
  t.strictSame(await reasons(), [
    'not in --routes: tls.expired, tls.wrong-host, tls.unknown-ca',
    'no TLS with the upstream',
    'not in --routes: jwt',
  ])
  t.strictSame(await reasons(routesOf({ tls: { expired: '/tls-expired' } })), [
    null,
    'no TLS with the upstream',
    'not in --routes: jwt',
  ])
})
