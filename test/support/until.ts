/** Waits for a condition instead of a fixed time. */
import type { Test } from 'tap'

const PATIENCE_MS = 120_000

/** Resolves with the first truthy result of `look`; rejects after two minutes, which a busy machine may need to start a process. */
export async function until<T>(
  look: () => T | Promise<T>,
  what = 'the condition',
  patienceMs = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const value = await look()
    if (value) return value as NonNullable<T>
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${patienceMs / 1000} s`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/**
 * Asserts that the result of `read` eventually equals or matches `wanted`, since pages update asynchronously. Fails with the
 * last result.
 */
export async function eventually<T>(
  t: Pick<Test, 'equal' | 'match'>,
  read: () => Promise<T>,
  wanted: T | RegExp,
  ...message: [] | [string]
): Promise<void> {
  let last: T | undefined
  const fits = (): boolean => (wanted instanceof RegExp ? wanted.test(String(last)) : last === wanted)
  await until(async () => {
    last = await read()
    return fits()
  }).catch(error => {
    if (last === undefined) throw error
  })
  if (wanted instanceof RegExp) t.match(last, wanted, ...message)
  else t.equal(last, wanted, ...message)
}
