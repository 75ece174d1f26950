/** JSON in chunks is the same text as that of `JSON.stringify`. */
import t from 'tap'
import { jsonChunks, JsonList } from '../../../core/contract/json-chunks.ts'
import { OutputBudget } from '../../../core/contract/budgets.ts'

const LONG = 'a "quoted"\n line é \u{1d4b3} '.repeat(8000)
const VALUES: Record<string, unknown> = {
  scalars: [0, -0, 1.5, NaN, Infinity, true, null, undefined, '', 'é'],
  'members that are left out': { a: undefined, b: () => 1, c: Symbol('c'), d: 1 },
  'values with toJSON': { at: new Date(0), bytes: Buffer.from('ab') },
  'a long text': { text: LONG, next: [LONG] },
  'half of a surrogate pair': '\ud83d'.repeat(70_000),
  'many items': Array.from({ length: 20_000 }, (_, index) => ({ index, list: [index, [index]] })),
  'an empty list and object': { list: [], object: {}, none: Object.create(null) as object },
  'no JSON': undefined,
}

for (const [name, value] of Object.entries(VALUES))
  t.test(`${name}`, async t => {
    const chunks = [...jsonChunks(value)]
    t.equal(chunks.join(''), JSON.stringify(value) ?? 'null')
    t.ok(
      chunks.every(chunk => chunk.length < 300_000),
      'in chunks',
    )
  })

t.test('a list whose items are made as they are read', async t => {
  let made = 0
  const list = new JsonList(function* () {
    for (let item = 0; item < 100_000; item++) {
      made += 1
      yield { item }
    }
  })
  const chunks = jsonChunks({ list })
  chunks.next()
  t.ok(made < 10_000, 'no more than needed')
  t.equal([...jsonChunks({ list })].join(''), JSON.stringify({ list }), 'each time again')
})

t.test('JSON is counted before it is made', async t => {
  const output = new OutputBudget(1_000_000)
  output.takeJson({ text: LONG })
  t.equal(output.used, Buffer.byteLength(JSON.stringify({ text: LONG })))
  const list = new JsonList(function* () {
    for (;;) yield 'endless'
  })
  t.throws(() => output.takeJson(list), { code: 'SVC_OUTPUT_TOO_LARGE' })
  const whole = new OutputBudget(100)
  whole.take(60)
  whole.takeUpTo(50)
  t.equal(whole.used, 60, 'what was taken before counts once')
  whole.takeUpTo(70)
  t.equal(whole.used, 70)
})
