/**
 * Conditions that would take seconds: patterns, queries and comparisons multiply what a request contains. Each evaluation has
 * a budget, so another client never waits long.
 * Measures: memory and processor time of a process.
 */
import t, { type Test } from 'tap'
import {
  ADMIN_TOKEN,
  attackedServer,
  attackWith,
  type Answer,
  type AttackedServer,
  type Cost,
} from '../../support/attacked-server.ts'

const AT_ONCE = 10
const MAX_GROWN_MIB = 64
const MAX_WAIT_MS = 250
const JSON_HEADERS = { 'content-type': 'application/json' }

const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const letters = (count: number): string =>
  repeat(count, index => 'ab'[(Math.imul(index, 2_654_435_761) >>> 13) & 1]).join('')
/** Patterns that need nearly as many states as there are texts; each is another one. */
const pattern = (index: number): string => `[ab]*a[ab]{${430 + index}}[cd]`
/** The same values by different queries, because a member of `json` can occur once. */
const everything = (index: number): string => `$..[${' '.repeat(index)}*]`

/** 195 KB of texts of a thousand letters. */
const TEXTS = JSON.stringify(repeat(195, index => letters(1000 + index).slice(index)))
/** Lists that are equal up to the last item, and items for each of which a query can compare them. */
const LISTS = JSON.stringify([repeat(20_000, () => 1), [...repeat(19_999, () => 1), 2], ...repeat(4000, () => 3)])

const PATTERNS = { json: Object.fromEntries(repeat(18, index => [everything(index), { matches: pattern(index) }])) }
const COMPARISONS = { json: { '$[?$[0]!=$[1]]': { exists: false } } }
/** Compiling each of these takes half a second. */
const LARGE_PATTERNS = {
  header: Object.fromEntries(repeat(15, index => [`x-${index}`, { matches: `(?i)${'[Z-\u{1ffff}]'.repeat(90)}` }])),
}

const MODES = [
  { name: 'default mode', isPublic: false, tests: 18 },
  { name: 'public mode', isPublic: true, tests: 18 },
]

function fits(test: Test, cost: Cost, what: string): void {
  if (process.env.SVC_TEST_FIGURES)
    console.error(`${what}: +${cost.grownMib} MiB, waits of ${cost.slowestWaitMs} ms, ${cost.cpuMs} ms in all`)
  test.equal(cost.exit, null, `${what}: the process lives`)
  test.ok(cost.grownMib < MAX_GROWN_MIB, `${what}: memory grew by ${cost.grownMib} MiB`)
  test.ok(cost.slowestWaitMs < MAX_WAIT_MS, `${what}: another client waited ${cost.slowestWaitMs} ms`)
  test.strictSame([...cost.ready.keys()], [200], `${what}: other clients are served`)
}

function answers(results: PromiseSettledResult<Answer>[]): Answer[] {
  return results.map(result => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

function expecting(server: AttackedServer, match: object, body: string): Promise<Answer> {
  const expectation = Buffer.from(JSON.stringify(match)).toString('base64url')
  return attackWith(`${server.url}/echo`, { headers: { ...JSON_HEADERS, 'x-svc-expect': expectation }, body })
}

for (const { name, isPublic } of MODES)
  t.test(`conditions of a request have a budget, in ${name} [EVAL-1]`, async t => {
    const server = await attackedServer(t, { isPublic })
    await attackWith(`${server.url}/echo`, { body: 'warm' })
    await expecting(server, { json: { '$..*': { matches: 'x' } } }, '[1]')

    await t.test('patterns of X-Svc-Expect', async t => {
      const cost = await server.attack(AT_ONCE, () => expecting(server, PATTERNS, TEXTS))
      fits(t, cost, 'patterns')
      for (const { status, headers, text } of answers(cost.results)) {
        t.equal(status, 417)
        t.equal(headers['x-svc-ignored'], 'X-Svc-Expect; too_expensive')
        t.equal(headers['x-svc-expectation'], 'failed')
        t.match(JSON.parse(text), {
          error: 'expectation_failed',
          differences: [{ at: '', expected: /at most 5000000 steps/, got: 'too_expensive' }],
        })
      }
    })

    await t.test('comparisons of X-Svc-Expect', async t => {
      const cost = await server.attack(AT_ONCE, () => expecting(server, COMPARISONS, LISTS))
      fits(t, cost, 'comparisons')
      for (const { headers } of answers(cost.results)) t.equal(headers['x-svc-ignored'], 'X-Svc-Expect; too_expensive')
    })

    await t.test('patterns that take long to compile', async t => {
      const cost = await server.attack(AT_ONCE, () => expecting(server, LARGE_PATTERNS, '{}'))
      fits(t, cost, 'compiling')
      for (const { headers } of answers(cost.results)) t.equal(headers['x-svc-ignored'], 'X-Svc-Expect; too_expensive')
    })

    await t.test('rules of a session', async t => {
      const put = (rule: string, match: object): Promise<Answer> =>
        attackWith(`${server.url}/_svc/rules/${rule}`, {
          method: 'PUT',
          headers: { ...JSON_HEADERS, 'x-svc-session': 'attack' },
          body: JSON.stringify({ match: { path: '/echo', ...match }, then: { fail: 503 } }),
        })
      t.equal((await put('patterns', PATTERNS)).status, 201)
      t.equal((await put('comparisons', COMPARISONS)).status, 201)
      const large = await put('large', LARGE_PATTERNS)
      t.equal(large.status, 400)
      t.match(JSON.parse(large.text), { error: 'invalid_rule', at: 'match', details: /SVC_BUDGET_STEPS/ })
      for (const body of [TEXTS, LISTS]) {
        const cost = await server.attack(AT_ONCE, () =>
          attackWith(`${server.url}/echo`, { headers: { ...JSON_HEADERS, 'x-svc-session': 'attack' }, body }),
        )
        fits(t, cost, 'rules')
        for (const { status, headers } of answers(cost.results)) {
          t.equal(status, 200, 'a condition that is too expensive is not met')
          t.match(String(headers['x-svc-ignored']), /^(?:patterns|comparisons); too_expensive/)
        }
      }
      t.equal((await put('cheap', {})).status, 201)
      const other = await attackWith(`${server.url}/echo`, {
        headers: { ...JSON_HEADERS, 'x-svc-session': 'attack' },
        body: TEXTS,
      })
      t.match(other, { status: 503, headers: { 'x-svc-rule': 'cheap' } }, 'other rules act')
    })

    await t.test('verifications and waits', async t => {
      const headers = { ...JSON_HEADERS, 'x-svc-session': 'captures' }
      const capture = (body: string): Promise<Answer> => attackWith(`${server.url}/echo`, { headers, body })
      // What is captured of a body is bounded.
      const body = TEXTS.slice(0, 60_000)
      for (let index = 0; index < 100; index++) await capture(body)
      const texts = { body: { matches: pattern(0) } }
      const order = repeat(20, index => ({
        ...texts,
        header: Object.fromEntries(repeat(17, place => [`x-${place}`, { not: pattern(index) }])),
      }))
      for (const wanted of [
        { order },
        { match: texts, at_least: 101 },
        { match: texts, within_ms: 300, at_least: 1 },
      ]) {
        const cost = await server.attack(AT_ONCE, () =>
          attackWith(`${server.url}/_svc/verify?session=captures`, {
            headers: JSON_HEADERS,
            body: JSON.stringify(wanted),
          }),
        )
        fits(t, cost, `verification ${Object.keys(wanted).join()}`)
        for (const { status, text } of answers(cost.results)) {
          if (status === 503) continue
          t.equal(status, 400)
          t.match(JSON.parse(text), { error: 'too_expensive', details: /SVC_BUDGET_STEPS/ })
        }
      }
      // Conditions that cost much, but less than an evaluation may.
      const costly = { body: { contains: `${'a'.repeat(250)}b${'a'.repeat(250)}` }, json: { '$..*': { equals: 'x' } } }
      let sent = 0
      const cost = await server.attack(AT_ONCE, async index => {
        if (index % 2 === 0) return capture(`"${body}${sent++}"`)
        return attackWith(`${server.url}/_svc/verify?session=captures`, {
          headers: JSON_HEADERS,
          body: JSON.stringify({ match: costly, within_ms: 1000, at_least: 1 }),
        })
      })
      fits(t, cost, 'open waits')
      for (const { status } of answers(cost.results)) t.ok([200, 409, 503].includes(status), `status ${status}`)
    })
  })

t.test('conditions and schemas of mocks have a budget [EVAL-2]', async t => {
  for (const { name, isPublic } of MODES)
    await t.test(name, async t => {
      const server = await attackedServer(t, { isPublic })
      const member = { type: 'string', pattern: pattern(0) }
      const schema = {
        type: 'array',
        items: { allOf: repeat(20, index => ({ type: 'string', not: { pattern: pattern(index) } })) },
      }
      const document = (extra: object): object => ({
        openapi: '3.1.0',
        info: { title: 'attack', version: '1' },
        paths: {
          '/texts': {
            post: { operationId: 'post', responses: { 200: { description: 'ok' } }, ...extra },
          },
        },
        components: { schemas: { member } },
      })
      const admin = { ...JSON_HEADERS, 'x-svc-admin-token': ADMIN_TOKEN }
      const put = async (mock: string, body: object): Promise<void> => {
        const { status, text } = await attackWith(`${server.url}/_svc/mocks/${mock}`, {
          method: 'PUT',
          headers: admin,
          body: JSON.stringify(body),
        })
        t.ok(status === 200 || status === 201, `${status} ${text.slice(0, 300)}`)
      }
      await put('schema', {
        spec: document({ requestBody: { content: { 'application/json': { schema } } } }),
        settings: { validation: 'enforce' },
      })
      await put('unique', {
        spec: document({
          requestBody: { content: { 'application/json': { schema: { type: 'array', items: { uniqueItems: true } } } } },
        }),
      })
      await put('rules', {
        spec: document({}),
        rules: repeat(10, index => ({
          id: `r${index}`,
          when: repeat(8, place => ({
            in: 'body',
            jsonpath: '$..*',
            op: 'matches',
            value: pattern(index * 8 + place),
          })),
          then: { status: 418 },
        })),
      })
      for (const mock of ['schema', 'unique', 'rules']) {
        const cost = await server.attack(AT_ONCE, () =>
          attackWith(`${server.url}/mock/${mock}/texts`, { headers: JSON_HEADERS, body: TEXTS }),
        )
        fits(t, cost, mock)
        for (const { status, headers } of answers(cost.results)) {
          t.equal(status, 200)
          if (mock === 'schema') t.match(headers['x-svc-mock-validation'], /too many steps/)
          if (mock === 'rules') t.match(String(headers['x-svc-ignored']), /^r0; too_expensive/)
        }
      }
    })
})
