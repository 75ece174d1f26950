/** Results of batches are counted before they are kept, and files are read line by line. */
import t from 'tap'
import { OutputBudget, MemoryPool } from '../../../core/contract/budgets.ts'
import { BatchResults, type ItemResult, type ResultFormat } from '../../../plugins/llm/state/batch-results.ts'
import { linesOf } from '../../../plugins/llm/state/lines.ts'

const done = (index: number, text: string): ItemResult => ({
  kind: 'done',
  index,
  status: 200,
  requestId: 'r',
  body: { text },
})

function format(): ResultFormat & { kept: string[] } {
  const kept: string[] = []
  return {
    kept,
    lineOf(result) {
      if (result.kind === 'cancelled') return null
      const value = result.kind === 'done' ? result.body : { error: result.kind }
      return { file: result.kind === 'done' ? 'output' : 'error', value, kept: () => kept.push(result.kind) }
    },
    finish: () => Promise.resolve({}),
  }
}
const texts = (files: ReadonlyMap<string, readonly Buffer[]>): Record<string, string> =>
  Object.fromEntries([...files].map(([name, parts]) => [name, Buffer.concat([...parts]).toString()]))

t.test('a line that does not fit is replaced by its error, and nothing of it is kept [LLMN-207]', async t => {
  const pool = new MemoryPool(10_000_000)
  const output = new OutputBudget(1_000_000, pool)
  const given = format()
  const results = new BatchResults(given, output, 200_000)
  results.add(done(0, 'a'), 3)
  results.add(done(1, 'x'.repeat(150_000)), 2)
  t.notOk(results.isFull)
  results.add(done(2, 'y'.repeat(60_000)), 1)
  t.ok(results.isFull, 'the items that follow need not run')
  results.add({ kind: 'too_large', index: 3, limit: results.limit }, 0)
  const files = texts(results.files(null))
  t.equal(files.output, `{"text":"a"}\n{"text":"${'x'.repeat(150_000)}"}\n`)
  t.equal(files.error, '{"error":"too_large"}\n{"error":"too_large"}\n')
  t.same(given.kept, ['done', 'done', 'too_large', 'too_large'])
  t.equal(output.used, files.output!.length + files.error!.length, 'the lines are paid for')
  output.release()
  t.equal(pool.used, 0)
})

t.test('lines need memory that large answers share [LLMN-207]', async t => {
  const output = new OutputBudget(1_000_000, new MemoryPool(100_000))
  const results = new BatchResults(format(), output, 1_000_000)
  t.throws(() => results.add(done(0, 'x'.repeat(200_000)), 0), { code: 'SVC_OUTPUT_UNAVAILABLE' })
})

t.test('the order of the lines follows from the batch, whatever is not kept [LLMN-163]', async t => {
  const order = (seed: string | null): string => {
    const results = new BatchResults(format(), new OutputBudget(1_000_000), 1_000_000)
    for (let index = 0; index < 20; index++)
      results.add(index % 5 === 4 ? { kind: 'cancelled', index } : done(index, String(index)), 20 - index)
    return texts(results.files(seed)).output!
  }
  t.equal(order(null).split('\n').length, 17)
  t.equal(order('a'), order('a'))
  t.not(order('a'), order('b'))
  t.same(order('a').split('\n').sort(), order(null).split('\n').sort())
})

t.test('lines are those of the whole text, however it is cut [LLMN-207]', async t => {
  const cases: [string, (string | null)[]][] = [
    ['', []],
    ['\n\n \n', []],
    ['a', ['a']],
    ['a\n\nb\r\n\n', ['a', '', 'b\r']],
    [' \né漢😀\nx\n', ['', 'é漢😀', 'x']],
    [`short\n${'long'.repeat(10)}\nend`, ['short', null, 'end']],
    ['long'.repeat(10), [null]],
  ]
  for (const [text, expected] of cases)
    for (const size of [1, 2, 3, 5, 1000]) {
      const all = Buffer.from(text)
      const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
        all.subarray(at * size, (at + 1) * size),
      )
      t.same([...linesOf(chunks, 20)], expected, `${JSON.stringify(text)} in chunks of ${size}`)
    }
})
