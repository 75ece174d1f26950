/** The result of a generation with what the prompt cache says. */
import type { Exchange } from '../call/model-call.ts'
import type { Parsed, ResultOf } from '../contract/provider.ts'

/** The result with what was read from the prompt cache; what is new is stored. Figures of an exact reply stay. */
export async function withCache<R extends ResultOf<Parsed>>(
  { cacheUse, route }: Exchange,
  parsed: Parsed,
  result: R,
): Promise<R> {
  if (cacheUse === null || result.op !== 'chat') return result
  await cacheUse.commit()
  if (result.cachedTokens !== undefined) return result
  const isReported = route.reportsCacheWrites === true || (parsed.op === 'chat' && parsed.cacheMark !== undefined)
  const cachedTokens = Math.min(cacheUse.read, Math.max(0, result.promptTokens - 1))
  const cacheWriteTokens = isReported ? Math.min(cacheUse.written, result.promptTokens - cachedTokens) : 0
  return { ...result, cachedTokens, ...(isReported ? { cacheWriteTokens } : {}) }
}
