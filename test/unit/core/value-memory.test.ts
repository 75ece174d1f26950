/**
 * The estimated memory of parsed JSON, compared with the heap. Runs alone: it measures the heap.
 * Takes long: it fills the heap.
 */
import t from 'tap'
import { heldValueBytes } from '../../../core/collections/value-memory.ts'
import { HEAP_FACTOR, heapGrowth } from '../../support/store-memory.ts'

const COUNT = 5000

const list = (item: (index: number) => string, count = COUNT) =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]`
const word = (index: number) => `k${((index * 7919) % 1_000_003).toString(36)}`
const object = (keys: readonly string[]) => `{${keys.map(key => `"${key}":0`).join(',')}}`

const shapes: [name: string, text: string][] = [
  ['empty arrays', list(() => '[]')],
  ['empty objects', list(() => '{}')],
  ['arrays of one', list(() => '[0]')],
  ['deep arrays', list(() => `${'['.repeat(90)}${']'.repeat(90)}`, 200)],
  ['deep objects', list(() => `${'{"a":'.repeat(90)}0${'}'.repeat(90)}`, 200)],
  ['objects with one key', list(() => '{"a":0}')],
  ['objects with a key of their own', list(index => object([word(index)]))],
  ['objects with a key of their own after two others', list(index => object(['a', 'b', word(index)]))],
  [
    'objects with a shape of their own',
    list(index => object([`a${index % 50}`, `b${Math.floor(index / 50) % 50}`, `c${Math.floor(index / 2500)}`])),
  ],
  ['objects whose keys are numbers', list(() => '{"30":0}')],
  ['objects whose keys are large numbers', list(() => '{"1000000":0}')],
  ['an object with many keys', object(Array.from({ length: COUNT }, (_, index) => word(index)))],
  ['fractions', list(() => '1.5').replace('[', '["",')],
  ['fractions in objects', list(() => '{"a":1.5}')],
  ['short texts', list(index => `"${word(index)}"`)],
  ['texts of two bytes a character', list(index => `"${word(index)}${'語'.repeat(30)}"`)],
]

t.test('the estimate for parsed JSON is at least two thirds of the memory [HARD-12]', async t => {
  for (const [name, text] of shapes) {
    const values: unknown[] = []
    const grown = await heapGrowth(() => {
      for (let time = 0; time < 5; time++) values.push(JSON.parse(text))
      return values
    })
    const estimate = values.reduce((sum: number, value) => sum + heldValueBytes(value), 0)
    t.ok(
      grown <= HEAP_FACTOR * estimate,
      `${name}: ${Math.round(grown / 1024)} KiB, estimated ${Math.round(estimate / 1024)} KiB`,
    )
  }
})

t.test('a value that is not JSON counts as little [HARD-12]', async t => {
  t.same([undefined, null, true].map(heldValueBytes), [8, 8, 8])
  t.ok(heldValueBytes({ a: undefined }) < 200)
})
