/** Checks the responses to the examples of the built-in plugins. */
import type { Test } from 'tap'
import type { Catalog } from '../../core/contract/plugin.ts'
import { expectedOf, type Exported, type Included, sentExamples } from './exported.ts'
import type { Recorded } from './recorder.ts'

/** The exported examples of a catalog, in order, and a check that each was sent and got the documented response. */
export function examplesOf(
  { endpoints }: Pick<Catalog, 'endpoints'>,
  included: Included = {},
): {
  expected: Exported[]
  verify(t: Test, requests: Recorded[]): void
} {
  const expected = expectedOf({ endpoints }, included)
  const announced = sentExamples({ endpoints }, included).map(({ example }) => example.expect_status)
  return {
    expected,
    verify(t, requests) {
      t.equal(requests.length, expected.length)
      for (const [at, example] of expected.entries()) {
        const { method, target, headers, body, status } = requests[at]!
        t.strictSame([method, target, body], [example.method, example.target, example.body ?? ''], example.name)
        for (const [name, value] of Object.entries(example.headers))
          t.equal(headers[name], value, `${example.name}: ${name}`)
        verifyStatus(t, example, announced[at] ?? null, status)
      }
    },
  }
}

/** Checks that the response has the documented status, which is null if it is anything but 404 and 405. */
export function verifyStatus(t: Test, example: Exported, wanted: number | null, status: number): void {
  if (isPlaceholder(example)) return
  if (wanted === null) t.notOk([404, 405].includes(status), `${example.name}: ${status}`)
  else t.equal(status, wanted, example.name)
}

/** The example has a placeholder that only an earlier response could fill in. */
function isPlaceholder({ target, headers, body }: Exported): boolean {
  return /<[a-z_]+>/.test(target + (body ?? '') + Object.values(headers).join())
}
