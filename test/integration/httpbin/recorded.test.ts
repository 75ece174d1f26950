/** Compares svc with recorded responses of the real servers. `test/originals/run.ts --record` writes them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CASES, uncompared } from '../../originals/cases.ts'
import { compare, exchange, HOST, nameOf, type Reply } from '../../originals/exchange.ts'
import { serve } from '../../support/server.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/httpbin')

for (const original of ['httpbin', 'go-httpbin'] as const) {
  const recorded = JSON.parse(readFileSync(join(fixtures, `${original}.json`), 'utf8')) as Record<string, Reply>
  t.test(`responds as ${original} [HB-1]`, async t => {
    const hosts = [{ host: HOST, serve: original }]
    const { url } = await serve(t, { plugins: ['httpbin', 'images', 'transfer'], settings: { httpbin: { hosts } } })
    let count = 0
    for (const one of CASES) {
      const fields = uncompared(one, original)
      if (fields.has('*')) continue
      const name = nameOf(one)
      const expected = recorded[name]
      t.ok(expected, `${name} is recorded`)
      if (expected !== undefined) t.strictSame(compare(expected, await exchange(url, one), fields), [], name)
      count++
    }
    t.equal(Object.keys(recorded).length, count, 'every recorded request is still sent')
  })
}
