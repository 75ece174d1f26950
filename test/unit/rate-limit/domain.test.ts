/** Limits of a domain: how they are read, and which one applies to a descriptor. */
import t from 'tap'
import { StepBudget } from '../../../core/contract/budgets.ts'
import { readOrProblem } from '../../../core/toolkit/input-problem.ts'
import { findLimit, readDomain } from '../../../plugins/rate-limit/config/domain.ts'
import { readWildcard } from '../../../plugins/rate-limit/config/wildcard.ts'

const unlimited = StepBudget.unlimited()
const entries = (...pairs: [key: string, value: string][]) => pairs.map(([key, value]) => ({ key, value }))
const perMinute = (requests_per_unit: number, more = {}) => ({ unit: 'minute', requests_per_unit, ...more })

t.test(
  'a limit is at the depth of the last entry; exact values come before wildcards, and these before none [GWS-7]',
  async t => {
    const domain = readDomain(
      {
        domain: 'shop',
        descriptors: [
          { key: 'tenant', rate_limit: perMinute(1) },
          { key: 'tenant', value: 'a*', rate_limit: perMinute(2) },
          { key: 'tenant', value: '*b', rate_limit: perMinute(3), share_threshold: true },
          {
            key: 'tenant',
            value: 'ada',
            rate_limit: perMinute(4),
            descriptors: [
              { key: 'path', rate_limit: perMinute(5) },
              { key: 'code', value: 404, rate_limit: perMinute(6) },
            ],
          },
          { key: 'user', descriptors: [{ key: 'path', rate_limit: perMinute(7) }] },
        ],
      },
      '',
    )
    const found = (...pairs: [string, string][]) => findLimit(domain, entries(...pairs), unlimited)
    const requests = (...pairs: [string, string][]) => found(...pairs)?.limit.requestsPerUnit ?? null
    t.equal(requests(['tenant', 'ada']), 4)
    t.equal(requests(['tenant', 'ab']), 2, 'the first wildcard of the file')
    t.equal(requests(['tenant', 'xb']), 3)
    t.equal(requests(['tenant', 'x']), 1)
    t.equal(requests(['tenant', '']), 1, 'an empty value')
    t.equal(requests(['tenant', 'ada'], ['path', '/']), 5)
    t.equal(requests(['tenant', 'ada'], ['code', '404']), 6, 'a number of YAML is the text')
    t.equal(requests(['tenant', 'ab'], ['path', '/']), null, 'deeper than the limit')
    t.equal(requests(['user', 'ada']), null, 'not as deep as the limit')
    t.equal(requests(['other', 'x']), null)
    t.strictSame(found(['tenant', 'xb'])!.counted, entries(['tenant', '*b']), 'the pattern is counted')
    t.strictSame(found(['tenant', 'ab'])!.counted, entries(['tenant', 'ab']), 'otherwise the value is')
    t.equal(domain.limits.length, 7)
  },
)

t.test('wrong configuration is refused with its place [GWS-8]', async t => {
  const limit = { key: 'a', rate_limit: perMinute(1) }
  const cases: [unknown, string, RegExp][] = [
    [[], '', /expected an object/],
    [{ descriptors: [] }, 'domain', /1 to 1000 characters/],
    [{ domain: 'd', descriptor: [] }, 'descriptor', /did you mean "descriptors"/],
    [{ domain: 'd', descriptors: {} }, 'descriptors', /expected a list/],
    [{ domain: 'd', descriptors: [{ key: '' }] }, 'descriptors[0].key', /characters/],
    [{ domain: 'd', descriptors: [{ key: 'a', rate_limits: {} }] }, 'descriptors[0].rate_limits', /did you mean/],
    [{ domain: 'd', descriptors: [{ key: 'a', rate_limit: {} }] }, 'descriptors[0].rate_limit.unit', /second, minute/],
    [
      { domain: 'd', descriptors: [{ key: 'a', rate_limit: { unit: 'fortnight' } }] },
      'descriptors[0].rate_limit.unit',
      /expected one of/,
    ],
    [
      { domain: 'd', descriptors: [{ key: 'a', rate_limit: { unit: 'day', unlimited: true } }] },
      'descriptors[0].rate_limit.unit',
      /unlimited/,
    ],
    [
      { domain: 'd', descriptors: [{ key: 'a', rate_limit: perMinute(-1) }] },
      'descriptors[0].rate_limit.requests_per_unit',
      /whole number/,
    ],
    [
      {
        domain: 'd',
        descriptors: [
          { key: 'a', value: 'b_c' },
          { key: 'a_b', value: 'c' },
        ],
      },
      'descriptors[1]',
      /there twice/,
    ],
    [
      { domain: 'd', descriptors: [limit, { key: 'x', descriptors: [limit, limit] }] },
      'descriptors[1].descriptors[1]',
      /twice/,
    ],
    [{ domain: 'd', descriptors: [{ ...limit, share_threshold: true }] }, 'descriptors[0].share_threshold', /"\*"/],
    [
      { domain: 'd', descriptors: [{ key: 'a', rate_limit: perMinute(1, { name: 'n', replaces: [{ name: 'n' }] }) }] },
      'descriptors[0].rate_limit.replaces[0].name',
      /replace itself/,
    ],
    [{ domain: 'd', descriptors: [{ key: 'a', shadow_mode: 'yes' }] }, 'descriptors[0].shadow_mode', /true or false/],
  ]
  for (const [value, at, details] of cases) {
    const read = readOrProblem(() => readDomain(value, ''))
    t.match(read, { problem: { at, details } }, JSON.stringify(value))
  }
  let deep: unknown = []
  for (let level = 0; level < 51; level++) deep = [{ key: 'a', descriptors: deep }]
  t.match(
    readOrProblem(() => readDomain({ domain: 'd', descriptors: deep }, '')),
    { problem: { details: /50 levels/ } },
  )
  for (const unit of ['SECOND', 'Minute', 'hour', 'day', 'week', 'month', 'year'])
    t.match(readDomain({ domain: 'd', descriptors: [{ key: 'a', rate_limit: { unit } }] }, '').limits[0], {
      limit: { requestsPerUnit: 0, unit: unit.toUpperCase() },
    })
})

t.test('a wildcard stands for any characters, anywhere, and costs steps', async t => {
  const matches = (pattern: string, value: string) => readWildcard(pattern).matches(value, unlimited)
  for (const [pattern, value, expected] of [
    ['*', '', true],
    ['a*', 'a', true],
    ['a*', 'ba', false],
    ['*a', 'ba', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['/a/*/c', '/a/b/c', true],
    ['/a/*/c', '/a/c', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b-c', true],
    ['a*b*c', 'abbb', false],
    ['*b*', 'abc', true],
    ['*bc*bc', 'abc', false],
    ['**', 'x', true],
  ] as const)
    t.equal(matches(pattern, value), expected, `${pattern} ${value}`)
  const value = 'a'.repeat(1_000_000)
  t.throws(() => readWildcard(`*${'a'.repeat(400)}b*${'a'.repeat(400)}b*`).matches(value, new StepBudget(1_000_000)), {
    code: 'SVC_TOO_EXPENSIVE',
  })
})
