/** All mistakes of a value, found by a reader that stops at the first one. */
import t from 'tap'
import { readOrProblems, showProblems } from '../../../core/toolkit/all-problems.ts'
import { asInteger, asObject, asText, below, rejectUnknownKeys } from '../../../core/toolkit/input-problem.ts'

/** Reads `{a: number, b: text, list: [{n: number}], "x.y": number}`, of which `b` has to be there. */
function read(value: unknown): string {
  const given = asObject(value, 'v')
  rejectUnknownKeys(given, ['a', 'b', 'list', 'x.y'], 'v')
  if (given.a !== undefined) asInteger(given.a, 'v.a', 0, 9)
  asText(given.b, 'v.b', 5)
  if (given['x.y'] !== undefined) asInteger(given['x.y'], 'v.x.y', 0, 9)
  for (const [index, item] of (Array.isArray(given.list) ? given.list : []).entries()) {
    const place = below('v.list', index)
    asInteger(asObject(item, place).n, below(place, 'n'), 0, 9)
  }
  return 'read'
}
const standIn = (place: string): unknown =>
  place === 'b' ? 'ok' : /^list\[\d+\](?:\.n)?$/.test(place) ? (place.endsWith('.n') ? 1 : { n: 1 }) : undefined
const placesOf = (value: unknown): readonly string[] => {
  const result = readOrProblems(value, 'v', read, standIn)
  return 'problems' in result ? result.problems.map(({ at }) => at) : []
}

t.test('mistakes are found in one go [RULE-33]', async t => {
  t.strictSame(readOrProblems({ a: 1, b: 'x' }, 'v', read), { value: 'read' })
  t.strictSame(placesOf({ a: 10, b: 'much too long', c: 1, 'x.y': -1, list: [{ n: 'x' }, 1, { n: 2 }, { n: 99 }] }), [
    'v.c',
    'v.a',
    'v.b',
    'v.x.y',
    'v.list[0].n',
    'v.list[1]',
    'v.list[3].n',
  ])
  t.strictSame(placesOf({}), ['v.b'], 'what is missing')
  t.strictSame(placesOf(1), ['v'])
})

t.test('a value with very many members is not copied again and again', async t => {
  const wide = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`w${index}`, 1]))
  let reads = 0
  const result = readOrProblems({ b: 'x', ...wide }, 'v', value => {
    reads++
    return read(value)
  })
  t.ok(reads <= 3, `${reads} reads`)
  t.match(result, { problems: [{ at: 'v.w0' }, { at: 'v.w1' }] })
})

t.test('what is missing only because a mistake was removed is not reported [RULE-33]', async t => {
  const result = readOrProblems({ b: 7 }, 'v', read)
  t.match(result, { problems: [{ at: 'v.b' }] })
  t.equal('problems' in result && result.problems.length, 1)
})

t.test('a reader that fails otherwise ends the search, not the answer [RULE-33]', async t => {
  let reads = 0
  const result = readOrProblems({ a: 10, b: 'x' }, 'v', value => {
    if (++reads > 1) throw new RangeError('the budget is used up')
    return read(value)
  })
  t.match(result, { problems: [{ at: 'v.a' }] })
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]))
  t.equal(placesOf({ ...many, b: 'x' }).length, 20, 'at most 20 are listed')
})

t.test('one problem is shown as before, several are listed too [RULE-33]', async t => {
  const one = { at: 'a', details: 'd' }
  t.strictSame(showProblems([one]), one)
  const two = { at: 'b', details: 'e', remedy: 'r' }
  t.strictSame(showProblems([one, two]), { ...one, problems: [one, two] })
})
