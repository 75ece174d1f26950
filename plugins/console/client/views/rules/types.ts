/** Rules of the instance and of sessions, as `/_svc/rules` shows them. */

export interface RuleView {
  name: string
  match?: { method?: unknown; path?: unknown } & Record<string, unknown>
  /** A list of steps, or one step. */
  then?: unknown
  scope: 'instance' | 'session'
  session: string | null
  description?: string | null
  priority?: number
  skip?: number
  every?: number
  /** Share of the matches. */
  sample?: number
  times?: number | null
  loop?: boolean
  count?: 'session' | 'instance'
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
