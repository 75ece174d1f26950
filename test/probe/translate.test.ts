/** Checks of the group `translate`: a gateway that translates rightly has no finding in any pair of wires. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { findingsOf, PAIRS } from './ai-gateways/translate-run.ts'

t.test('a gateway that translates rightly has no finding in 25 pairs', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const { findings, pairs } = await findingsOf(t, { upstream: server.url, clients: PAIRS, upstreams: PAIRS })
  t.strictSame(findings, [])
  t.equal(pairs.length, 25)
})
