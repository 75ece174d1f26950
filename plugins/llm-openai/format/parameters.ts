/** Parameters of requests that several routes have. */
import type { Engine, RouteInput } from '../../llm/types.ts'

const MAX_METADATA = 16

export function missing(engine: Engine, param: string): Error {
  return engine.badInput(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' })
}

/** Clamps an integer to a range; anything but a number becomes the minimum. */
export function clamp(value: unknown, min: number, max: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), min), max) : min
}

/** At most 16 texts, with names of at most 64 and values of at most 512 characters. */
export function metadataOf(engine: Engine, given: unknown): Record<string, unknown> {
  const invalid = (message: string, code = 'invalid_value'): Error =>
    engine.badInput(message, { param: 'metadata', code })
  if (given != null && (typeof given !== 'object' || Array.isArray(given)))
    throw invalid("Invalid type for 'metadata': expected an object.", 'invalid_type')
  const entries = Object.entries(engine.json.objectOf(given))
  if (entries.length > MAX_METADATA) throw invalid(`Invalid 'metadata': expected at most ${MAX_METADATA} properties.`)
  for (const [name, value] of entries)
    if (typeof value !== 'string' || name.length > 64 || value.length > 512)
      throw invalid(
        "Invalid 'metadata': expected names of at most 64 characters and strings of at most 512 characters.",
      )
  return Object.fromEntries(entries)
}

/** The length of a model without a context window. */
const DEFAULT_WINDOW = 131_072

/** How many tokens a model takes, as model servers state it. */
export function modelLength({ models, contextWindow }: RouteInput, model: string): number {
  return models?.find(({ id }) => id === model)?.context_window ?? contextWindow ?? DEFAULT_WINDOW
}
