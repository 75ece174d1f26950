/** Waiting for the thing itself instead of for some time. */

/** Resolves with the first value of `look` that is truthy; rejects after thirty seconds. */
export async function until<T>(look: () => T | Promise<T>, what = 'the condition'): Promise<NonNullable<T>> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = await look()
    if (value) return value as NonNullable<T>
    if (performance.now() > deadline) throw new Error(`${what} did not come true within 30 s`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
