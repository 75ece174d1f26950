/** The group `translate`: what gateways lose between wires. */
import type { Check } from '../../catalog/check.ts'
import { pairCheck } from '../../pairs/pair-check.ts'
import { BREAK } from './break.ts'
import { CACHE } from './cache-marks.ts'
import { CALLS } from './calls.ts'
import { CANCEL } from './cancel.ts'
import { COUNT } from './count.ts'
import { EMBED } from './embed.ts'
import { FINISH, USAGE } from './ends.ts'
import { ERROR } from './error.ts'
import { EVENTS } from './events.ts'
import { LONG } from './long.ts'
import { MEDIA } from './media.ts'
import { PAGES } from './pages.ts'
import { TRN_PAIRS } from './pairs.ts'
import { PARAMS } from './params.ts'
import { RESULTS } from './results.ts'
import { SCHEMA } from './schema.ts'
import { UNUSUAL_STREAMS } from './shapes.ts'
import { SYSTEM } from './system.ts'
import { TEXT } from './text.ts'
import { THINK } from './think.ts'
import { TOOLS_OFFERED } from './tools.ts'
import type { Aspect } from './types.ts'
import { VALID } from './valid.ts'

const SINCE = '2026.2'

/** In the order of the catalog. */
const ASPECTS: readonly Aspect[] = [
  TEXT,
  SYSTEM,
  PARAMS,
  MEDIA,
  TOOLS_OFFERED,
  CALLS,
  RESULTS,
  THINK,
  CACHE,
  SCHEMA,
  FINISH,
  USAGE,
  EVENTS,
  UNUSUAL_STREAMS,
  ERROR,
  BREAK,
  CANCEL,
  COUNT,
  EMBED,
  LONG,
  VALID,
]

export const TRANSLATE_CHECKS: readonly Check[] = [
  TRN_PAIRS,
  ...ASPECTS.map(aspect => pairCheck(aspect, PAGES[aspect.id]!, SINCE)),
]
