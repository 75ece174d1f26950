/** Reading one field of a request's head. */
import t from 'tap'
import { firstEntry, firstHeader, headerText } from '../../../core/http/request/header.ts'

t.test('returns the first line of a repeated field and never splits a line [HEAD-1]', async t => {
  const rows: [rawHeaders: string[], joined: string | undefined, expected: string | undefined][] = [
    [[], undefined, undefined],
    [['X-A', 'one'], 'one', 'one'],
    [['X-A', ''], '', ''],
    [['X-A', 'one', 'X-B', 'x', 'x-a', 'two'], 'one, two', 'one'],
    [['X-B', 'x', 'x-A', 'one, still one'], 'one, still one', 'one, still one'],
    [['X-A', 'a,b', 'X-A', 'c'], 'a,b, c', 'a,b'],
    [['X-A', '', 'X-A', 'c'], ', c', ''],
  ]
  for (const [rawHeaders, joined, expected] of rows) {
    const headers = joined === undefined ? {} : { 'x-a': joined }
    t.equal(firstHeader({ headers, rawHeaders }, 'x-a'), expected, JSON.stringify(rawHeaders))
  }
})

t.test('returns single values unchanged', async t => {
  t.equal(headerText({ a: 'x' }, 'a'), 'x')
  t.equal(headerText({ 'set-cookie': ['x'] }, 'set-cookie'), undefined)
})

t.test('returns the first member of a list', async t => {
  t.equal(firstEntry(undefined), undefined)
  t.equal(firstEntry(' a , b'), 'a')
  t.equal(firstEntry(', b'), '')
  t.equal(firstEntry('a'), 'a')
})
