/** The engine's limits per request, in normal and in public mode. */
import type { Config } from 'svc/plugin'
import type { EngineLimits } from '../contract/route.ts'

const normal: EngineLimits = { choices: 8, images: 4, dimensions: 4096, inputs: 2048, loremWords: 4000 }
const shared: EngineLimits = { choices: 2, images: 1, dimensions: 1536, inputs: 256, loremWords: 500 }

export function engineLimits(config: Config): EngineLimits {
  return config.publicMode ? shared : normal
}
