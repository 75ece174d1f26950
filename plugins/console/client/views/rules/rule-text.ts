/** A rule in words: what it matches, which of the matches it affects, and what happens then. */
import { formatNumber, formatTime } from '../../lib/protocol/http.ts'
import type { RuleView } from './types.ts'

/** Method and path, then the other conditions as JSON. */
export function matchText({ match = {} }: RuleView): string {
  const { method, path, ...others } = match
  const parts = [Array.isArray(method) ? method.join(' or ') : method, path].flatMap(part =>
    part === undefined ? [] : [plain(part)],
  )
  if (Object.keys(others).length > 0) parts.push(JSON.stringify(others))
  return parts.length === 0 ? 'every request' : parts.join(' ')
}

/** `fail with 503 (Retry-After: 1 s), 2 times` and `delay 300 ms, always`: one text per step. */
export function stepTexts({ then = [] }: RuleView): string[] {
  const isList = Array.isArray(then)
  const steps: unknown[] = Array.isArray(then) ? then : [then]
  return steps.map(step => {
    if (typeof step !== 'object' || step === null) return plain(step)
    const { times = 1, ...effects } = step as Record<string, unknown>
    const text = effectsText(effects)
    // A single step is not counted.
    return isList ? `${text}, ${times === 1 ? 'once' : times === 'always' ? 'always' : `${plain(times)} times`}` : text
  })
}

function effectsText(effects: Record<string, unknown>): string {
  const { delay, fail, message, retry_after: retryAfter, abort, respond, reply, pass, quiet, ...others } = effects
  const parts: string[] = []
  if (delay !== undefined) parts.push(`delay ${delayText(delay)}`)
  if (fail !== undefined) {
    const details = [
      ...(retryAfter === undefined ? [] : [`Retry-After: ${plain(retryAfter)} s`]),
      ...(message === undefined ? [] : [JSON.stringify(message)]),
    ]
    parts.push(`fail with ${plain(fail)}${details.length === 0 ? '' : ` (${details.join(', ')})`}`)
  }
  if (abort !== undefined) parts.push(`abort by ${plain(abort)}`)
  if (respond !== undefined) parts.push(respondText(respond))
  if (reply !== undefined) parts.push(`reply ${plain(reply)}`)
  if (pass === true) parts.push('pass to the route')
  if (quiet === true) parts.push('without capture')
  for (const [name, value] of Object.entries(others)) parts.push(`${name} ${plain(value)}`)
  return parts.join(', ')
}

/** `300 ms`, `100 to 300 ms` or `lognormal {"median":120,"p99":900} ms` */
function delayText(delay: unknown): string {
  if (typeof delay !== 'object' || delay === null) return `${plain(delay)} ms`
  return Object.entries(delay)
    .map(([kind, of]) =>
      kind === 'uniform' && Array.isArray(of) ? `${of.join(' to ')} ms` : `${kind} ${plain(of)} ms`,
    )
    .join(', ')
}

function respondText(respond: unknown): string {
  const { status = 200, ...others } = (respond ?? {}) as Record<string, unknown>
  return `respond with ${plain(status)}${Object.keys(others).length === 0 ? '' : ` ${JSON.stringify(others)}`}`
}

/** Which matches the rule affects, and for how long; empty if all. */
export function countingText({
  skip = 0,
  every = 1,
  sample = 1,
  times,
  loop,
  count,
  priority = 0,
  expires_at: expiresAt,
}: RuleView): string {
  const which = [
    ...(every > 1 ? [`every ${ordinal(every)} match`] : []),
    ...(sample < 1 ? [`${formatNumber(sample * 100)} % of ${every > 1 ? 'these' : 'the matches'}`] : []),
    ...(skip > 0 ? [`after the first ${skip === 1 ? 'match' : `${formatNumber(skip)} matches`}`] : []),
    ...(times ? [`at most ${times === 1 ? 'once' : `${formatNumber(times)} times`}`] : []),
  ]
  return [
    ...(which.length === 0 ? [] : [which.join(', ')]),
    ...(loop === true ? ['starts again after the last step'] : []),
    ...(count === 'instance' ? ['all sessions are counted together'] : []),
    ...(priority === 0 ? [] : [`priority ${priority}`]),
    ...(expiresAt === null ? [] : [`until ${formatTime(expiresAt).slice(0, -4)}`]),
  ].join('; ')
}

function ordinal(number: number): string {
  const tens = number % 100
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${formatNumber(number)}${suffix}`
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
