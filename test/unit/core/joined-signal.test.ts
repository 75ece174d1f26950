/** Signals that are joined, and what they leave behind. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { joinSignals } from '../../../core/toolkit/joined-signal.ts'
import { root, sourceFiles } from '../../support/sources.ts'
import { heapGrowth, times } from '../../support/store-memory.ts'

t.test('it aborts with the first source, and with its reason', async t => {
  const [first, second] = [new AbortController(), new AbortController()]
  const { signal } = joinSignals(first.signal, second.signal)
  t.notOk(signal.aborted)
  second.abort('later')
  first.abort('too late')
  t.strictSame([signal.aborted, signal.reason], [true, 'later'])
  t.ok(joinSignals(new AbortController().signal, second.signal).signal.aborted, 'one that has aborted before')
})

t.test('after its release it no longer aborts, and its sources keep nothing of it [SOAK-2]', async t => {
  const source = new AbortController()
  const grown = await heapGrowth(() =>
    times(10_000, async () => {
      const work = new AbortController()
      const { signal, release } = joinSignals(source.signal, work.signal)
      signal.addEventListener('abort', () => t.fail('aborted'))
      release()
      work.abort()
    }),
  )
  t.ok(grown < 10_000 * 100, `${grown} bytes are left of 10,000 signals`)
  source.abort()
})

t.test('nothing uses AbortSignal.any, which leaks in Node 20 if a source lives long [SOAK-2]', async t => {
  const using = sourceFiles().filter(
    file => !file.includes('/client/') && /AbortSignal\.any\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  t.strictSame(using, [])
})
