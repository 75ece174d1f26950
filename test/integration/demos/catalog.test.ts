/** Each demo through a gateway with the feature, without it, and with one that is subtly wrong (sheet demos, 11). */
import { join } from 'node:path'
import t from 'tap'
import { readDemos } from '../../../plugins/demos/catalog/read-folder.ts'
import type { DemoResult } from '../../../plugins/demos/run/demo-run.ts'
import { startDemoProxy, type ProxySwitches } from '../../support/demo-proxy.ts'
import { demoRunner } from '../../support/demo-runner.ts'
import { serve } from '../../support/server.ts'

const FOLDER = join(import.meta.dirname, '../../../plugins/demos/demos')

interface Case {
  set?: Record<string, unknown>
  on: ProxySwitches
  /** A mistake, and what the reason says about it. */
  wrong: [ProxySwitches, RegExp]
}

/** A window ends when a step waits for its end. */
const clock = { window: 0 }
const LIMIT = { requests: 5, by: 'x-api-key', window: () => clock.window }
const CHANGED: ProxySwitches = {
  add: { 'x-gateway': 'demo' },
  remove: ['x-internal'],
  addToResponse: { 'x-served-by': 'demo' },
  removeFromResponse: ['x-upstream'],
}

const CASES: Record<string, Case> = {
  retry: {
    on: { attempts: 3 },
    wrong: [{ attempts: 3, retriesPosts: true }, /step 3, A POST is sent once.*got 3 arrivals/],
  },
  timeout: {
    set: { limit_ms: 1000, delay_ms: 3000 },
    on: { timeoutMs: 1000 },
    wrong: [{ timeoutMs: 2000 }, /step 2, .*time in ms at least 700.*ms is 2000/],
  },
  'rate-limit': {
    set: { window_s: 0 },
    on: { limit: LIMIT },
    wrong: [{ limit: { ...LIMIT, perConnection: true } }, /step 2, Over the limit.*got 3 responses: 200/],
  },
  'header-transform': {
    on: CHANGED,
    wrong: [{ ...CHANGED, remove: [] }, /step 1, .*"x-internal" arrived in the header x-internal/],
  },
}

t.test('every demo has a case', async t => {
  const { demos, problems } = await readDemos(FOLDER)
  t.same(problems, [])
  t.same(demos.map(({ demo }) => demo.demo).toSorted(), Object.keys(CASES).toSorted())
  t.same(
    demos.flatMap(({ demo }) => demo.warnings),
    [],
  )
})

for (const [name, { set = {}, on, wrong }] of Object.entries(CASES))
  t.test(`${name}: seen with the feature, not seen without it or with a mistake`, async t => {
    const server = await serve(t, { plugins: ['demos', 'echo'] })
    const run = await runner(server.url, name, set)
    const seen = await run(await startDemoProxy(t, server.url, on))
    t.match(seen, { verdict: 'seen', reason: null, mark: 'header' }, JSON.stringify(seen.steps, null, 1))
    t.match(await run(await startDemoProxy(t, server.url, {})), { verdict: 'not-seen' })
    const mistaken = await run(await startDemoProxy(t, server.url, wrong[0]))
    t.equal(mistaken.verdict, 'not-seen')
    t.match(mistaken.reason, wrong[1])
    t.match(await run(null), { verdict: 'not-seen' }, 'the control run is as the file says')
    const rules = (await (await fetch(`${server.url}/_svc/rules?scope=instance`)).json()) as { count: number }
    t.equal(rules.count, 0, 'nothing is left')
  })

t.test('a gateway that does not forward, or loses all marks, is not judged', async t => {
  const server = await serve(t, { plugins: ['demos', 'echo'] })
  const run = await runner(server.url, 'retry', {})
  const refused = await run(await startDemoProxy(t, server.url, { refusesAll: 401 }))
  t.match(refused, { verdict: 'not-judged', reason: /not forwarded: refused with 401/, steps: [] })
  // Below /s/<run> the path is the mark.
  const marked = await run(await startDemoProxy(t, server.url, { losesMarks: true, attempts: 3 }))
  t.match(marked, { verdict: 'seen', mark: 'path' })
  const nobody = await run('http://127.0.0.1:9')
  t.match(nobody, { verdict: 'not-judged', isReached: false })
})

/** Runs a demo of the catalog. */
async function runner(
  url: string,
  name: string,
  set: Record<string, unknown>,
): Promise<(gateway: string | null) => Promise<DemoResult>> {
  const { demos } = await readDemos(FOLDER)
  const { demo } = demos.find(one => one.demo.demo === name)!
  return demoRunner(url, demo, { set, onStep: step => void (step.wait !== null && clock.window++) })
}
