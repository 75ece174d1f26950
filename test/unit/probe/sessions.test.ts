/** Probe sessions while the plugin's code is replaced: the newer generation takes the tap over. */
import t from 'tap'
import { Tap } from '../../../core/http/tap/tap.ts'
import { IgnoredPaths } from '../../../plugins/probe/upstream/ignored-paths.ts'
import { WIRES } from '../../../plugins/probe/wires/wires.ts'
import { createNonces, MAX_SESSIONS, ProbeSessions } from '../../../plugins/probe/upstream/sessions.ts'

t.test('newer code joins every open session, however often it is replaced [PRB-2]', async t => {
  const tap = new Tap({ isPublic: false })
  const nonces = Array.from({ length: MAX_SESSIONS }, createNonces)
  const generation = (): ProbeSessions => {
    const sessions = new ProbeSessions()
    for (const one of nonces) {
      const options = {
        ttlMs: 60_000,
        nonces: one,
        findScript: async () => null,
        ignored: new IgnoredPaths(),
        wires: () => WIRES,
      }
      t.not(sessions.create(tap, options), null)
    }
    t.equal(
      sessions.create(tap, {
        ttlMs: 1,
        nonces: createNonces(),
        findScript: null,
        ignored: new IgnoredPaths(),
        wires: () => WIRES,
      }),
      null,
    )
    return sessions
  }
  const [first, second, third] = [generation(), generation(), generation()]
  first.close()
  second.close()
  t.equal(tap.isArmed, true, 'a replaced generation does not end what the newest one has')
  third.close()
  t.equal(tap.isArmed, false)
})
