/** What patterns, searches, queries and comparisons take from the budget of an evaluation. */
import t from 'tap'
import { StepBudget } from '../../../core/contract/budgets.ts'
import { deepEqual, takeSize, type Json } from '../../../core/contract/json.ts'
import { compileJsonPath, storedJsonPath } from '../../../core/toolkit/json-path.ts'
import { linearPattern, sharedPattern, storedPattern } from '../../../core/toolkit/linear-pattern.ts'
import { costOfPattern } from '../../../core/toolkit/pattern-cost.ts'
import { TextSearch } from '../../../core/toolkit/text-search.ts'
import { matchOf, subjectOf } from '../../support/match.ts'

const EXPENSIVE = { code: 'SVC_TOO_EXPENSIVE' }
const STEPS = 5_000_000
const letters = (count: number): string =>
  Array.from({ length: count }, (_, index) => 'ab'[(Math.imul(index, 2_654_435_761) >>> 13) & 1]).join('')

/** Steps that an evaluation takes. */
function stepsOf(evaluate: (steps: StepBudget) => unknown): number {
  const steps = new StepBudget(1e12)
  evaluate(steps)
  return 1e12 - steps.left
}

t.test('a pattern takes its size for each character once it needs many states [EVAL-5]', async t => {
  const text = letters(20_000)
  const pattern = sharedPattern('[ab]*a[ab]{450}[cd]', new StepBudget(STEPS))!
  t.throws(() => pattern.test(text, new StepBudget(STEPS)), EXPENSIVE)
  t.ok(stepsOf(steps => pattern.test(text, steps)) > 20_000 * 450 * 3)
  t.notOk(pattern.test(text.slice(0, 1000), new StepBudget(STEPS)), 'short texts are tested')
  const ordinary = sharedPattern('[\\w.+-]+@[\\w-]+\\.[a-z]+', new StepBudget(STEPS))!
  const mails = `${'a.b '.repeat(10_000)} me@example.org`
  t.ok(ordinary.test(mails, new StepBudget(STEPS)))
  t.ok(stepsOf(steps => ordinary.test(mails, steps)) < 100_000, 'a step for each character')
})

t.test('patterns match as before, whatever their engine [EVAL-5]', async t => {
  const cases: [source: string, text: string, isMatch: boolean][] = [
    ['b+', 'aabba', true],
    ['^b', 'ab', false],
    ['abc', 'xxabcxx', true],
    ['abc', 'xxabxx', false],
    ['(?:abc|def)+x', 'abcdefx', true],
    ['[ab]*a[ab]{450}[cd]', `${letters(900)}c`, letters(900).at(-451) === 'a'],
    ['^(?:a|b)*$', 'abab', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['\\pL{3}', 'äöü', true],
    ['(?i)STRASSE', 'strasse', true],
  ]
  for (const [source, text, isMatch] of cases) {
    const pattern = sharedPattern(source, new StepBudget(1e9))!
    for (let round = 0; round < 2; round++) t.equal(pattern.test(text, new StepBudget(1e9)), isMatch, source)
    t.equal(storedPattern(source).test(text, new StepBudget(1e9)), isMatch, `${source}, stored`)
  }
  t.ok(
    linearPattern('ORDER \\d+', new StepBudget(STEPS), { ignoresCase: true })!.test('order 7', new StepBudget(STEPS)),
  )
  t.equal(sharedPattern('a)(b', new StepBudget(STEPS), { ignoresCase: true }), undefined)
  t.equal(linearPattern('(?=x)y', new StepBudget(STEPS)), undefined)
})

t.test('what compiling takes is known before [EVAL-5]', async t => {
  t.equal(sharedPattern('a{1000}'.repeat(140), new StepBudget(STEPS)), undefined, 'too large, and never compiled')
  t.throws(() => sharedPattern(`(?i)${'[Z-\u{1ffff}]'.repeat(90)}`, new StepBudget(STEPS)), EXPENSIVE)
  t.ok(costOfPattern('^Bearer [A-Za-z0-9._-]{20,200}$').steps < STEPS / 10)
  const sizes: [source: string, least: number][] = [
    ['abc', 3],
    ['a{100}', 100],
    ['(?:ab){10,50}', 100],
    ['(?:a{10}){10}', 100],
    ['[a-z\\]]{7}', 7],
    ['\\{3}', 3],
    ['\\x{41}{9}', 9],
  ]
  for (const [source, least] of sizes) {
    const { size } = costOfPattern(source)
    t.ok(size >= least && size < least * 4 + 10, `${source}: ${size}`)
  }
  const rules = Array.from({ length: 50 }, (_, index) => `x${index}[a-f]{20}`)
  const first = stepsOf(steps => rules.forEach(source => sharedPattern(source, steps)))
  const again = stepsOf(steps => rules.forEach(source => sharedPattern(source, steps)))
  t.ok(first > 0)
  t.equal(again, 0, 'compiled patterns are kept')
})

t.test('a search finds what includes finds, in bounded time [EVAL-5]', async t => {
  let state = 1
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const text = (length: number): string => Array.from({ length: random(length) }, () => 'abā'[random(3)]).join('')
  let wrong = 0
  for (let round = 0; round < 20_000; round++) {
    const [part, whole] = [text(7), text(40)]
    if (new TextSearch(part).isIn(whole, new StepBudget(STEPS)) !== whole.includes(part)) wrong++
  }
  t.equal(wrong, 0)
  const hostile = new TextSearch(`${'a'.repeat(250)}b${'a'.repeat(250)}`)
  const long = 'a'.repeat(1_000_000)
  t.ok(stepsOf(steps => hostile.isIn(long, steps)) < 1_000_000)
  t.throws(() => hostile.isIn(long, new StepBudget(10_000)), EXPENSIVE)
})

t.test('queries take what they visit and compare [EVAL-5]', async t => {
  const lists: Json = [Array.from({ length: 20_000 }, () => 1), Array.from({ length: 20_000 }, () => 1), 1, 2, 3]
  const compare = compileJsonPath('$[?$[0]!=$[1]]', new StepBudget(STEPS))
  t.strictSame(compare.values(lists, new StepBudget(STEPS)), [])
  t.throws(() => compare.values([...lists, ...lists], new StepBudget(100_000)), EXPENSIVE)
  const wide: Json = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]))
  t.throws(
    () => compileJsonPath('$[?length($)>1]', new StepBudget(STEPS)).values(wide, new StepBudget(STEPS)),
    EXPENSIVE,
  )
  const nested: Json = Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => 1))
  t.throws(() => compileJsonPath('$..*..*..*', new StepBudget(STEPS)).values(nested, new StepBudget(STEPS)), EXPENSIVE)
  t.strictSame(storedJsonPath('$..b').values({ a: { b: 1 }, b: 2 }, new StepBudget(STEPS)), [2, 1])
})

t.test('comparisons in queries are those of RFC 9535 [EVAL-5]', async t => {
  const document: Json = [
    { a: 1, b: 'x' },
    { a: 2, b: 'y', c: [1, { d: 2 }] },
    { b: 'y', c: [1, { d: 2 }] },
    { a: null, c: [1, { d: 3 }] },
  ]
  const cases: [query: string, indexes: number[]][] = [
    ['$[?@.a==1]', [0]],
    ['$[?@.a!=1]', [1, 2, 3]],
    ['$[?@.a==null]', [3]],
    ['$[?@.a>1]', [1]],
    ['$[?@.a<=1]', [0]],
    ['$[?@.b>="y"]', [1, 2]],
    ['$[?@.c==$[1].c]', [1, 2]],
    ['$[?@.x==@.y]', [0, 1, 2, 3]],
    ['$[?@.x==@.a]', [2]],
    ['$[?length(@.b)==1]', [0, 1, 2]],
    ['$[?length(@)==2]', [0, 2, 3]],
    ['$[?count(@.*)>2]', [1]],
    ['$[?value(@..d)==3]', [3]],
    ['$[?!@.a && @.b]', [2]],
  ]
  for (const [query, indexes] of cases)
    t.strictSame(
      compileJsonPath(query, new StepBudget(STEPS)).values(document, new StepBudget(STEPS)),
      indexes.map(index => document[index]),
      query,
    )
})

t.test('deep equality stops when the budget is used up [EVAL-5]', async t => {
  const make = (): Json => Array.from({ length: 1000 }, (_, index) => ({ id: index, name: `name ${index}` }))
  t.ok(deepEqual(make(), make(), new StepBudget(STEPS)))
  t.throws(() => deepEqual(make(), make(), new StepBudget(1000)), EXPENSIVE)
  t.notOk(deepEqual({ a: 1, b: undefined as unknown as Json }, { a: 1 }, new StepBudget(STEPS)))
  t.throws(() => takeSize(make(), new StepBudget(1000)), EXPENSIVE)
})

t.test('a match throws when the budget of the subject is used up [EVAL-1]', async t => {
  const json = JSON.stringify({ list: Array.from({ length: 1000 }, (_, index) => `item ${index}`) })
  const request = { method: 'POST', body: json, headers: { 'x-a': 'b'.repeat(1000) } }
  for (const match of [
    { json: { '$..*': { equals: 'x' } } },
    { json: { '$..*': { in: ['x', 'y'] } } },
    { like: { list: Array.from({ length: 100 }, (_, index) => `item ${index}`) } },
    { body: { contains: 'item 5000' } },
    { body: { ignore_case: true, ends_with: 'x' } },
    { header: { 'x-a': { matches: 'c+' } } },
  ]) {
    const read = matchOf(match)
    t.doesNotThrow(() => read.explain(subjectOf(request)), JSON.stringify(match))
    t.throws(() => read.holds(subjectOf(request, new StepBudget(200))), EXPENSIVE, JSON.stringify(match))
    t.throws(() => read.explain(subjectOf(request, new StepBudget(200))), EXPENSIVE, JSON.stringify(match))
  }
})

t.test('what a difference shows of a large value is short [EVAL-1]', async t => {
  const value = { list: Array.from({ length: 100_000 }, (_, index) => ({ index })) }
  const { differences } = matchOf({ json: { '': { equals: 1 } } }).explain(
    subjectOf({ method: 'POST', body: JSON.stringify(value) }),
  )
  t.equal(differences[0]?.got, JSON.stringify(value).slice(0, 200))
})
