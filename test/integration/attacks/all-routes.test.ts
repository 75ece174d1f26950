/**
 * The largest allowed request to every route, whose every text is a template, a pattern or a deep structure: whatever the
 * service produces from it is paid from a budget. Default mode.
 */
import t from 'tap'
import { walkHostile } from '../../support/hostile-walk.ts'

t.setTimeout(1_200_000)

t.test('every route bears the largest hostile request [SEC-20]', async t => {
  const { requests, cpuMs, grownMib, wrong, exit } = await walkHostile(t, false)
  t.comment(`${requests} requests, ${cpuMs} ms of processor time, ${grownMib} MiB`)
  t.ok(requests > 1000)
  t.equal(exit, null)
  // The heap, the largest bodies, and the bounded stores.
  t.ok(grownMib < 384, `${grownMib} MiB`)
  t.same(wrong, [])
})
