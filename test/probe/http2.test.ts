/**
 * Checks over HTTP/2: the reference proxy passes, and wrong proxies are caught.
 * Runs alone: it measures times. Mostly waits: for silent connections.
 */
import t from 'tap'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { launch } from '../../core/testing/launch.ts'
import { WRITES_FINDINGS, findingsOf, writeFindings } from './findings.ts'
import { startHttp2Proxy } from './proxies/http2-proxy.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { HTTP2_PROXIES, type WrongHttp2Proxy } from './proxies/wrong-http2-proxies.ts'
import { checksNamed, findings, probeThrough } from './probe-through.ts'

const BOTH = CATALOG.filter(({ protocols }) => protocols?.includes('2') === true)

const GRPC = BOTH.filter(({ group }) => group === 'grpc')

t.test('the reference proxy passes everything in HTTP/2 [PRB-11]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startHttp2Proxy(server.ports)
  t.teardown(() => proxy.close())
  const run = await probeThrough(proxy.url, server.url, { checks: BOTH, isHttp2: true, isHostile: true })
  t.strictSame(findings(run), [])
  t.strictSame(run.clientProtocols, ['1.1', '2'])
  const skipped = run.results.filter(({ verdict, protocol }) => verdict === 'skip' && protocol === '2')
  t.strictSame(
    skipped.map(({ check, reason }) => `${check.id} ${reason}`),
    [
      'CON-H2-GOAWAY upstream not spoken to in HTTP/2',
      ...GRPC.map(({ id }) => `${id} not routed: the upstream is spoken to in HTTP/1.1`),
    ],
  )
})

t.test('each wrong proxy in HTTP/2 is caught by exactly the checks that name its fault [PRB-11]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const only = process.env.SVC_PROXY
  const shown = new Map<string, ReturnType<typeof findingsOf>>()
  const pending = HTTP2_PROXIES.filter(({ name }) => only === undefined || name.includes(only))
  const run = async ({ name, fault, http2, checks, caught }: WrongHttp2Proxy): Promise<void> => {
    const proxy = await startHttp2Proxy(server.ports, fault, http2)
    const result = await probeThrough(proxy.url, server.url, {
      checks: checksNamed(checks ?? Object.keys(caught)),
      isHttp2: true,
      isHostile: true,
    })
    await proxy.close()
    const found = Object.fromEntries(
      result.results
        .filter(({ verdict, protocol }) => protocol === '2' && ['fail', 'warn', 'flaky', 'error'].includes(verdict))
        .map(({ check, verdict }) => [check.id, verdict]),
    )
    t.strictSame(found, caught, `${name}: ${findings(result).join(' | ')}`)
    shown.set(name, findingsOf(name, result))
  }
  const work = async (): Promise<void> => {
    for (let wrong = pending.shift(); wrong !== undefined; wrong = pending.shift()) await run(wrong)
  }
  await Promise.all([work(), work()])
  if (WRITES_FINDINGS)
    writeFindings(
      HTTP2_PROXIES.flatMap(({ name }) => shown.get(name) ?? []),
      { more: true },
    )
})

t.test('checks in HTTP/2 are skipped where it is not spoken, or not asked for [PRB-11]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const checks = checksNamed(['HDR-VIA', 'FRM-H2-BAD', 'FRM-H2-HOST', 'CON-H2-STREAMS'])
  const results = async (isHttp2: boolean): Promise<string[]> =>
    (await probeThrough(proxy.url, server.url, { checks, isHttp2, isHostile: true })).results.map(
      ({ check, protocol, verdict, reason }) => `${check.id} ${protocol} ${verdict} ${reason ?? ''}`.trim(),
    )
  t.strictSame(await results(false), [
    'HDR-VIA 1.1 pass',
    'FRM-H2-BAD 2 skip --h2',
    'FRM-H2-HOST 2 skip --h2',
    'CON-H2-STREAMS 2 skip --h2',
  ])
  t.strictSame(await results(true), [
    'HDR-VIA 1.1 pass',
    'HDR-VIA 2 skip the gateway does not speak HTTP/2',
    'FRM-H2-BAD 2 skip the gateway does not speak HTTP/2',
    'FRM-H2-HOST 2 skip the gateway does not speak HTTP/2',
    'CON-H2-STREAMS 2 skip the gateway does not speak HTTP/2',
  ])
})
