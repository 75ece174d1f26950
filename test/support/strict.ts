/** Rules of vendors as tests: a request that violates one rule alone, a neighbor that does not, and the error. */
import type { Test } from 'tap'

/** A request that violates a rule. */
export interface RuleCase {
  rule: string
  body: object
  /** What the error contains. */
  error: object
  /** The same request without the violation. */
  valid: object
  /** Default: those of the suite. */
  path?: string
  headers?: Record<string, string>
  validHeaders?: Record<string, string>
  /** Of the valid request. Default: that of the other one. */
  validPath?: string
}

export interface RuleSuite {
  url: string
  path: string
  flavour: string
  headers?: Record<string, string>
  cases: readonly RuleCase[]
  /** Rules that have tests of their own. */
  apart?: readonly string[]
}

async function post(
  { url, path, headers: common = {} }: RuleSuite,
  body: object,
  validation: string,
  { path: own = path, headers = {} }: { path?: string | undefined; headers?: Record<string, string> | undefined } = {},
): Promise<{ status: number; violations: string[]; level: string | null; body: unknown }> {
  const response = await fetch(url + own, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', 'X-Svc-Validation': validation, ...common, ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    violations: response.headers.get('x-svc-violations')?.split(', ') ?? [],
    level: response.headers.get('x-svc-validation'),
    body: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as unknown) : text,
  }
}

/** Checks each case at each level, and that every rule of the flavour has a case. */
export async function checkRules(t: Test, suite: RuleSuite): Promise<void> {
  for (const { rule, body, error, valid, path, headers, validHeaders = headers, validPath = path } of suite.cases) {
    await t.test(rule, async t => {
      const options = { path, headers }
      const refused = await post(suite, body, `enforce; also=${rule}`, options)
      t.equal(refused.status, 400)
      t.match(refused.body, error)
      t.strictSame(refused.violations, [rule], 'only this rule is violated')
      const warned = await post(suite, body, 'warn', options)
      t.strictSame([warned.status, warned.violations, warned.level], [200, [rule], 'warn'])
      const ignored = await post(suite, body, 'off', options)
      t.strictSame([ignored.status, ignored.violations], [200, []])
      const except = await post(suite, body, `enforce; except=${rule}`, options)
      t.equal(except.status, 200, 'an exception')
      const accepted = await post(suite, valid, `enforce; also=*`, { path: validPath, headers: validHeaders })
      t.strictSame([accepted.status, accepted.violations], [200, []], 'the neighbor violates nothing')
    })
  }
  const listed = (await (await fetch(`${suite.url}/ai/validation?flavour=${suite.flavour}`)).json()) as {
    rules: { rule: string; sources: object[] }[]
  }
  t.strictSame(
    [...new Set([...(suite.apart ?? []), ...suite.cases.map(({ rule }) => rule)])].sort(),
    listed.rules.map(({ rule }) => rule).sort(),
    'every rule has a case',
  )
  t.notOk(
    listed.rules.some(({ sources }) => sources.length === 0),
    'every rule has a source',
  )
}
