/** On a busy machine the reference proxy still passes. Runs alone: it keeps all cores busy. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { findings, probeThrough, quickChecks } from './probe-through.ts'

t.test('with all cores busy the reference proxy passes everything [PRB-14]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const workers = Array.from({ length: availableParallelism() }, () => new Worker('for (;;);', { eval: true }))
  try {
    const run = await probeThrough(proxy.url, server.url, { checks: quickChecks(), repeat: 3 })
    t.strictSame(findings(run), [])
    t.ok(run.isComplete)
  } finally {
    await Promise.all(workers.map(worker => worker.terminate()))
  }
})
