/**
 * Workers that end again and again: the others serve, they are started again, and the process that starts them lives.
 * Runs alone: starts processes that use both cores.
 */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { oneAtATime } from '../../../core/metrics/worker-metrics.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

/** The workers of a process, which has other children too. */
function workersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return children.filter(child => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('svc.mjs')).map(Number)
}

t.test('workers that are killed are started again, also while the metrics of all are collected [HARD-20]', async t => {
  const { child, exited, port, output, errors } = startProcess(t, {
    env: { SVC_WORKERS: '2', SVC_LOG_LEVEL: 'warn' },
    yaml: 'plugins:\n  enable: [echo]\n',
  })
  const url = `http://127.0.0.1:${await port('HTTP')}`
  let hasEnded = false
  void exited.then(() => {
    hasEnded = true
  })
  const get = (path: string): Promise<number> =>
    // A connection that is being handed to a worker when that ends gets no answer.
    fetch(url + path, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) }).then(
      async response => {
        await response.text()
        return response.status
      },
      () => -1,
    )
  const restarts = (): number => errors().split('is started again in 1 s').length - 1
  const starts = (): number => output().split('HTTP listening').length - 1
  await until(() => starts() === 2, 'two workers')
  for (let round = 1; round <= 3; round++) {
    const asked = Array.from({ length: 40 }, () => get('/_svc/metrics'))
    process.kill(workersOf(child.pid!)[0]!, 'SIGKILL')
    await Promise.all(asked)
    await until(() => restarts() === round, 'the report')
    t.equal(await get('/echo'), 200, 'another worker serves')
    await until(() => starts() === 2 + round, 'a new worker')
  }
  t.notOk(hasEnded, 'the process lives')
  child.kill('SIGTERM')
  t.same(await exited, { code: 0, signal: null })
})

t.test('metrics are collected one at a time, and each caller gets what is true after it asked [HARD-20]', async t => {
  let running = 0
  let most = 0
  let calls = 0
  const ends: (() => void)[] = []
  const collect = oneAtATime(async () => {
    running++
    most = Math.max(most, running)
    const number = ++calls
    await new Promise<void>(resolve => ends.push(resolve))
    running--
    return number
  })
  const first = collect()
  const others = [collect(), collect(), collect()]
  t.equal(calls, 1)
  ends.shift()!()
  t.equal(await first, 1)
  await until(() => calls === 2)
  const last = collect()
  ends.shift()!()
  t.strictSame(await Promise.all(others), [2, 2, 2], 'a call that began after they asked')
  await until(() => calls === 3)
  ends.shift()!()
  t.equal(await last, 3)
  t.equal(most, 1)
})
