/** Bounds of a run and of its sessions. */
import t from 'tap'
import type { SvcTap } from 'svc/toolkit'
import type { Facts } from '../../../plugins/probe/catalog/check.ts'
import { CATALOG } from '../../../plugins/probe/checks/index.ts'
import { TRANSLATE_CHECKS } from '../../../plugins/probe/checks/translate/translate.ts'
import { maxRequests } from '../../../plugins/probe/client/jobs.ts'
import { modelSettingsOf } from '../../../plugins/probe/client/run-facts.ts'
import { NO_ROUTES } from '../../../plugins/probe/client/routes.ts'
import { IgnoredPaths } from '../../../plugins/probe/upstream/ignored-paths.ts'
import { createNonces, ProbeSession } from '../../../plugins/probe/upstream/sessions.ts'
import { MAX_SCRIPTS_BYTES, MAX_STEPS, type StepScript } from '../../../plugins/probe/upstream/script.ts'
import { WIRES } from '../../../plugins/probe/wires/wires.ts'

const MIB = 1024 * 1024

function sessionFor(t: { teardown(end: () => void): void }): ProbeSession {
  const tap = { now: () => 0, arm: () => ({ disarm: () => {} }) } as unknown as SvcTap
  const session = new ProbeSession(tap, {
    ttlMs: 60_000,
    nonces: createNonces(),
    onEnd: () => {},
    findScript: null,
    ignored: new IgnoredPaths(),
    wires: () => WIRES,
  })
  t.teardown(() => session.end())
  return session
}

const sized = (step: number, bytes: number): StepScript => ({
  step,
  script: [{ do: 'bytes', bytes: 'x'.repeat(bytes) }],
})

t.test('a session takes 64 MiB of scripts, and a script that replaces another one counts once', t => {
  const session = sessionFor(t)
  const most = MAX_SCRIPTS_BYTES / MIB - 1
  for (let step = 1; step <= most; step++) t.ok(session.addScripts([sized(step, MIB)]))
  t.ok(session.addScripts([sized(1, MIB)]), 'the same one again')
  t.notOk(session.addScripts([sized(most + 1, MIB)]))
  t.ok(session.addScripts([sized(most + 1, MIB / 2)]))
  t.end()
})

t.test('a session takes 8,000 scripts', t => {
  const session = sessionFor(t)
  t.ok(session.addScripts(Array.from({ length: MAX_STEPS }, (_, index) => sized(index + 1, 1))))
  t.notOk(session.addScripts([sized(MAX_STEPS + 1, 1)]))
  t.end()
})

t.test('runs with pairs may send 8,000 requests, others 4,000', t => {
  t.equal(maxRequests(CATALOG), 8_000)
  t.equal(maxRequests(CATALOG.filter(({ when }) => when?.pairs !== true)), 4_000)
  t.end()
})

t.test('a pair has at most 130 scenes, so that 30 pairs stay within the requests of a run', t => {
  const facts = { models: modelSettingsOf(NO_ROUTES) } as Facts
  const [client] = WIRES
  for (const upstream of WIRES) {
    const pair = { client: client!, upstream, model: 'model' }
    const context = { pair, wires: WIRES, marks: 'cache_control', embeddings: null, fields: [] } as const
    const labels = TRANSLATE_CHECKS.flatMap(({ id, forPair }) =>
      (forPair?.(context).plan(facts).connections ?? []).flatMap(({ requests }) =>
        requests.map(({ label = '' }) => `${id} ${label.replace(/ (?:plain|stream)$/, '')}`),
      ),
    )
    const scenes = new Set(labels).size
    t.ok(scenes > 20 && scenes <= 130, `${upstream.id} has ${scenes}`)
  }
  t.end()
})
