/** How deeply JSON is nested, as a value and as a text. */
import t from 'tap'
import { isNestedWithin, isTextNestedWithin } from 'svc/toolkit'

const nested = (levels: number, inner = '1'): string =>
  `${'[{"a":'.repeat(levels / 2)}${inner}${'}]'.repeat(levels / 2)}`

t.test('a value and its text have the same levels', async t => {
  const rows: [json: string, levels: number][] = [
    ['1', 0],
    ['"[[["', 0],
    ['{}', 1],
    ['[]', 1],
    ['[1,[2],[[3]]]', 3],
    ['{"a":{"b":[]},"c":[]}', 3],
    [nested(40), 40],
    [nested(40, '{}'), 41],
    ['["\\"[[[[","\\\\",[]]', 2],
  ]
  for (const [json, levels] of rows) {
    const value: unknown = JSON.parse(json)
    for (const [limit, isWithin] of [
      [levels - 1, false],
      [levels, true],
      [levels + 1, true],
    ] as const) {
      if (limit < 0) continue
      t.equal(isNestedWithin(value, limit), isWithin, `value of ${json.slice(0, 40)} in ${limit}`)
      t.equal(isTextNestedWithin(json, limit), isWithin, `${json.slice(0, 40)} in ${limit}`)
    }
  }
})

t.test('text nested a hundred thousand levels deep, or not JSON, is measured in one pass', async t => {
  t.equal(isTextNestedWithin('['.repeat(100_000), 100), false)
  t.equal(isTextNestedWithin(nested(100_000), 100), false)
  t.equal(isNestedWithin(JSON.parse(nested(4000)), 500), false)
  for (const text of ['"'.repeat(1000), '}'.repeat(1000), '"\\'.repeat(500)])
    t.equal(isTextNestedWithin(text, 10), true, text.slice(0, 5))
})
