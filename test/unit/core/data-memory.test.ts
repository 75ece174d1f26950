/** Copies of plain data, and their memory. */
import t from 'tap'
import { copyData } from '../../../core/collections/value-memory.ts'

t.test('a copy equals the data, and shares nothing with it', async t => {
  const data = {
    text: 'a text that is longer',
    none: null,
    left: undefined,
    yes: true,
    list: [1, [2.5, { deep: ['x'] }]],
  }
  const { copy, bytes } = copyData(data)
  t.strictSame(copy, data)
  t.not(copy, data)
  t.not(copy.list, data.list)
  t.ok(bytes > copyData({ ...data, text: '' }).bytes)
  t.equal(copyData('ж').bytes - copyData('').bytes, 2)
})

t.test('names that objects inherit are ordinary names [HARD-6]', async t => {
  const data: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')
  const { copy } = copyData(data)
  t.equal(JSON.stringify(copy), JSON.stringify(data))
  t.equal((copy as { polluted?: boolean }).polluted, undefined)
  const bare = Object.assign(Object.create(null) as object, { a: 1 })
  t.equal(Object.getPrototypeOf(copyData(bare).copy), null)
})

t.test('anything but plain data is rejected', async t => {
  for (const value of [new Map(), new Date(), Buffer.from('x'), () => {}, 1n, Symbol('x'), new (class Own {})()]) {
    t.throws(() => copyData({ deep: [value] }), { name: 'TypeError', message: /only plain data can be stored/ })
  }
})
