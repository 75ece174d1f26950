/** Models behind the gateway: bodies, streams, usage and errors, costs, caches and fallbacks. */
import type { Check } from '../../catalog/check.ts'
import { LLM_AFFINITY } from './affinity.ts'
import { LLM_ALIVE } from './alive.ts'
import { LLM_BETA } from './beta.ts'
import { LLM_CACHE_FALSE, LLM_CACHE_HIT, LLM_CACHE_STREAM, LLM_CACHE_TENANT } from './cache.ts'
import { LLM_COST } from './cost.ts'
import { LLM_CUT_BILL } from './cut-bill.ts'
import { LLM_FALLBACK, LLM_FB_MID } from './fallback.ts'
import { LLM_GZIP } from './gzip.ts'
import { LLM_ISOLATION } from './isolation.ts'
import { LLM_BODY, LLM_SHAPES, LLM_USAGE } from './content.ts'
import { LLM_TTFT, LLM_GAP, LLM_STALL, LLM_CANCEL } from './timing.ts'
import { LLM_ERR_FIRST, LLM_ERR_MID, LLM_429, LLM_CRED, LLM_RETRY } from './errors.ts'

export const LLM_CHECKS: Check[] = [
  LLM_BODY,
  LLM_TTFT,
  LLM_GAP,
  LLM_SHAPES,
  LLM_USAGE,
  LLM_ERR_FIRST,
  LLM_ERR_MID,
  LLM_STALL,
  LLM_429,
  LLM_CRED,
  LLM_CANCEL,
  LLM_RETRY,
  LLM_COST,
  LLM_CUT_BILL,
  LLM_ISOLATION,
  LLM_AFFINITY,
  LLM_FALLBACK,
  LLM_FB_MID,
  LLM_GZIP,
  LLM_ALIVE,
  LLM_BETA,
  LLM_CACHE_HIT,
  LLM_CACHE_FALSE,
  LLM_CACHE_STREAM,
  LLM_CACHE_TENANT,
]
