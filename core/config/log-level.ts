/** Log levels, and filter lists that contain one. */

/** From the most to the least verbose; `off` prints startup lines only. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * The level of a filter such as `debug` or `warn,http=debug`: the last part that is a level without a target, else the
 * level of the first `target=level`. Undefined if no part is valid.
 */
export function parseLogLevel(filter: string): LogLevel | undefined {
  const parts = filter.split(',').map(part => part.trim())
  const bare = parts.findLast(part => levelNamed(part) !== undefined)
  if (bare !== undefined) return levelNamed(bare)
  const targeted = parts.find(part => part.includes('=') && levelNamed(afterEquals(part)) !== undefined)
  return targeted === undefined ? undefined : levelNamed(afterEquals(targeted))
}

function afterEquals(part: string): string {
  return part.slice(part.lastIndexOf('=') + 1).trim()
}

function levelNamed(text: string): LogLevel | undefined {
  const name = text.toLowerCase()
  return logLevels.find(level => level === name)
}
