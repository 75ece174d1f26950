/** The prompt cache: what a call reads from it and writes to it, and what its result says about that. */
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'

export function lookInPromptCache(call: ModelCall, { cache }: CallServices): boolean | Promise<boolean> {
  const looking = cache.look(call, call.parsed!)
  if (!(looking instanceof Promise)) {
    call.cacheUse = looking
    return true
  }
  return looking.then(use => {
    call.cacheUse = use
    return true
  })
}

/** Adds to the result what was read; what is new is stored. Figures of an exact reply stay. */
export function reportPromptCache(call: ModelCall): boolean | Promise<boolean> {
  return call.cacheUse === null || call.result?.op !== 'chat' || commit(call)
}

async function commit(call: ModelCall): Promise<boolean> {
  const { cacheUse, modelRoute, parsed, result } = call
  if (cacheUse === null || result?.op !== 'chat') return true
  await cacheUse.commit()
  if (result.cachedTokens !== undefined) return true
  const isReported =
    modelRoute?.reportsCacheWrites === true || (parsed?.op === 'chat' && parsed.cacheMark !== undefined)
  const cachedTokens = Math.min(cacheUse.read, Math.max(0, result.promptTokens - 1))
  const cacheWriteTokens = isReported ? Math.min(cacheUse.written, result.promptTokens - cachedTokens) : 0
  call.result = { ...result, cachedTokens, ...(isReported ? { cacheWriteTokens } : {}) }
  return true
}
