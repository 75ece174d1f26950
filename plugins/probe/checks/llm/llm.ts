/** Models behind the gateway, in the format of OpenAI: bodies, streams, usage and errors. */
import type { Check } from '../../catalog/check.ts'
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
]
