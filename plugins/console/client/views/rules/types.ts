/** Rules of the instance and of sessions, as `/_svc/rules` shows them. */

export interface RuleView {
  name: string
  match?: { method?: unknown; path?: unknown } & Record<string, unknown>
  /** A list of steps, or one step. */
  then?: unknown
  scope: 'instance' | 'session'
  session: string | null
  /** Where the rule comes from: `api`, or a file. */
  source: string
  file: string | null
  line: number | null
  matches: number
  hits: number
  /** Number of the next step; null unless the rule is a sequence. */
  step: number | null
  state: 'active' | 'disabled' | 'exhausted'
  last_hit_at: string | null
  created_at: string | null
  expires_at: string | null
}

export interface RuleList {
  count: number
  rules: RuleView[]
}

/** Members that describe the state of a rule, and are not part of it. */
const STATE_MEMBERS = new Set(
  'name scope session source file line matches hits step state last_hit_at created_at expires_at'.split(' '),
)

/** The rule itself as JSON, to edit it. */
export function textOfRule(rule: RuleView): string {
  const own = Object.entries(rule).filter(([name, value]) => !STATE_MEMBERS.has(name) && value !== null)
  return JSON.stringify(Object.fromEntries(own), null, 2)
}

/** A new rule for requests like this one. */
export function draftFor(method: string, path: string): string {
  return JSON.stringify({ match: { method, path }, then: [{ fail: 503, times: 2 }] }, null, 2)
}

/** Method and path, then the other conditions as JSON. */
export function matchText({ match = {} }: RuleView): string {
  const { method, path, ...others } = match
  const parts = [method, path].flatMap(part => (part === undefined ? [] : [plain(part)]))
  if (Object.keys(others).length > 0) parts.push(JSON.stringify(others))
  return parts.length === 0 ? 'every request' : parts.join(' ')
}

/** `fail 503 2 times, then delay 100`. */
export function stepsText({ then = [] }: RuleView): string {
  return (Array.isArray(then) ? then : [then]).map(stepText).join(', then ')
}

function stepText(step: unknown): string {
  if (typeof step !== 'object' || step === null) return plain(step)
  const { times, ...effects } = step as Record<string, unknown>
  const text = Object.entries(effects).map(([name, value]) => `${name} ${plain(value)}`)
  return [...text, ...(times === undefined ? [] : [times === 'always' ? 'always' : `${plain(times)} times`])].join(' ')
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
