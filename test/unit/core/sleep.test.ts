/** Waiting: for a time, until a signal aborts, without keeping the process. */
import t from 'tap'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { sleep } from '../../../core/toolkit/sleep.ts'

t.test('resolves with true when the time is over', async t => {
  const startedAt = performance.now()
  t.equal(await sleep(30), true)
  t.ok(performance.now() - startedAt >= 29)
})

t.test('resolves with false when the signal aborts, also before', async t => {
  const controller = new AbortController()
  const slept = sleep(60_000, { signal: controller.signal })
  controller.abort()
  t.equal(await slept, false)
  t.equal(await sleep(60_000, { signal: controller.signal }), false)
})

t.test('resolves with true when it is woken', async t => {
  let wake = (): void => {}
  const slept = sleep(60_000, { onWake: given => (wake = given) })
  wake()
  t.equal(await slept, true)
})

t.test('does not wait for 0 ms or less', async t => {
  let isLate = false
  setImmediate(() => (isLate = true))
  t.equal(await sleep(0), true)
  t.equal(await sleep(-5), true)
  t.notOk(isLate)
})

t.test('a wait in the background does not keep the process', t => {
  const file = join(import.meta.dirname, '../../../core/toolkit/sleep.ts')
  const code = `import { sleep } from ${JSON.stringify(file)}; void sleep(60_000, { isBackground: true })`
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
    timeout: 30_000,
  })
  t.equal(status, 0)
  t.end()
})
