/**
 * Checks of routes that --routes names: access tokens, and TLS with the upstream.
 * Runs alone: it measures times. Mostly waits: for timeouts.
 */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { readRoutes, type Routes } from '../../plugins/probe/client/routes.ts'
import { WRITES_FINDINGS, findingsOf, writeFindings } from './findings.ts'
import { startVerifyingProxy } from './proxies/verifying-proxy.ts'
import { WRONG_VERIFIERS } from './proxies/wrong-verifiers.ts'
import { checksNamed, probeThrough } from './probe-through.ts'

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

t.test('tokens and certificates that must not pass are found [PRB-18]', async t => {
  const server = await launch({ plugins: ['probe', 'identity', 'tls'] })
  t.teardown(() => server.stop())
  const shown: ReturnType<typeof findingsOf> = []
  for (const { name, fault, checks, caught } of WRONG_VERIFIERS) {
    const proxy = await startVerifyingProxy(server, fault)
    const run = await probeThrough(proxy.url, server.url, { checks: checksNamed(checks), routes: ROUTES })
    await proxy.close()
    const found = Object.fromEntries(
      run.results
        .filter(({ verdict }) => !['pass', 'note'].includes(verdict))
        .map(({ check, verdict }) => [check.id, verdict]),
    )
    shown.push(...findingsOf(name, run))
    t.strictSame(found, caught, `${name}: ${run.results.map(one => `${one.summary} ${one.reason ?? ''}`).join(' | ')}`)
    if (name === 'verifies everything') {
      const summaryOf = (id: string): string => run.results.find(({ check }) => check.id === id)!.summary
      t.match(summaryOf('TLS-SNI'), /^server name good\.tls\.localhost, ALPN \S+, TLSv1\.3$/)
      t.match(summaryOf('JWT-ROTATE'), /^accepted after \d s$/)
    }
  }
  if (WRITES_FINDINGS) writeFindings(shown, { more: true })
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
