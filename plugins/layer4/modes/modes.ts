/** All modes by name. */
import type { ModeName } from '../options.ts'
import { echoBasic } from './echo-basic.ts'
import { istio } from './istio.ts'
import type { ModeDefinition } from './mode.ts'
import { discard, echo, fixed, hash, info } from './plain.ts'
import { rawHeaders } from './raw-headers.ts'
import { whoami } from './whoami.ts'

export const MODES: Readonly<Record<ModeName, ModeDefinition>> = {
  echo,
  discard,
  fixed,
  hash,
  info,
  'echo-basic': echoBasic,
  istio,
  whoami,
  'raw-headers': rawHeaders,
}
