/** What counts as an object of JSON. */
import t from 'tap'
import { isRecord } from '../../../core/contract/record.ts'

t.test('objects are records, whatever they inherit', async t => {
  for (const value of [{}, { a: 1 }, Object.create(null), JSON.parse('{"__proto__": 1}')])
    t.equal(isRecord(value), true)
})

t.test('arrays, null and simple values are not', async t => {
  for (const value of [[], [{}], null, undefined, 0, '', 'a', true, () => ({})]) t.equal(isRecord(value), false)
})
