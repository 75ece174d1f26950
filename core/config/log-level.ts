/** Log levels, and the filter lists that name one. */

/** From the most to the least talkative; `off` prints start-up lines only. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * Level of a filter such as `debug` or `warn,http=debug`: the last part that is a bare level, else the level of the
 * first `target=level`. Undefined when nothing in it is usable.
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
