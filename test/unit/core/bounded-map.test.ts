/** Caches stay within their bounds. */
import t from 'tap'
import { BoundedMap, memoize } from '../../../core/collections/bounded-map.ts'
import { heapGrowth } from '../../support/store-memory.ts'

t.test('the oldest entry is evicted first, and setting one again keeps its position', async t => {
  const map = new BoundedMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  t.strictSame([map.get('a'), map.get('b')], [3, 2])
  map.set('c', 4)
  t.strictSame([map.get('a'), map.get('b'), map.get('c')], [undefined, 2, 4])
  map.delete('b')
  map.set('__proto__', 5)
  t.strictSame([map.get('b'), map.get('c'), map.get('__proto__'), map.get('constructor')], [undefined, 4, 5, undefined])
})

t.test('a cached function is called once per text', async t => {
  const asked: string[] = []
  const upper = memoize(2, text => {
    asked.push(text)
    return text.toUpperCase()
  })
  t.strictSame(['a', 'a', 'b', 'a', 'c', 'a', 'c'].map(upper), ['A', 'A', 'B', 'A', 'C', 'A', 'C'])
  t.strictSame(asked, ['a', 'b', 'c', 'a'])
})

t.test('a long text is computed each time, and not cached [HARD-12]', async t => {
  let asked = 0
  const first = memoize(100, text => {
    asked++
    return text.slice(0, 1)
  })
  const long = 'x'.repeat(10_000)
  t.strictSame([long, long].map(first), ['x', 'x'])
  t.equal(asked, 2)
  const grown = await heapGrowth(() => {
    for (let index = 0; index < 100; index++) first(`${index}${'y'.repeat(1_000_000)}`)
    for (let index = 0; index < 100; index++) first(`${index}${'z'.repeat(1_000_000)}`.slice(0, 100))
    return first
  })
  t.ok(grown < 1e6, `${grown} bytes`)
})
