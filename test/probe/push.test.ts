/** A2A-PUSH: whether a push notification of the agent comes back through the gateway. Runs alone: it measures times. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { startProxy, type Fault } from './proxies/reference-proxy.ts'
import { checksNamed, probeThrough } from './probe-through.ts'

/** Turns away what the agent sends, but not what the probe sends, which a field marks too. */
const NO_WAY_BACK: Fault = {
  request(head) {
    if (head.line.includes('/probe/')) head.line = 'GET /nowhere HTTP/1.1'
  },
}

const CASES: { name: string; env: Record<string, string>; fault?: Fault; summary: RegExp }[] = [
  { name: 'not allowed', env: {}, summary: /^refused by the agent: -32602$/ },
  { name: 'allowed to all', env: { SVC_A2A_PUSH_ALLOW_ALL: 'true' }, summary: /^reaches$/ },
  {
    name: 'allowed, but the gateway has no way back',
    env: { SVC_A2A_PUSH_ALLOW_ALL: 'true' },
    fault: NO_WAY_BACK,
    summary: /^never$/,
  },
]

t.test('push notifications come through, are refused, or never come [PRB-24]', async t => {
  for (const { name, env, fault = {}, summary } of CASES) {
    const server = await launch({ plugins: ['probe', 'a2a'], env })
    const proxy = await startProxy(server.ports.http!, fault)
    try {
      const run = await probeThrough(proxy.url, server.url, { checks: checksNamed(['A2A-PUSH']) })
      t.match(run.results[0], { verdict: 'note', summary }, name)
    } finally {
      await proxy.close()
      await server.stop()
    }
  }
})
