/** What became of the conversation of an agent. */
import type { Json } from 'svc/plugin'
import type { SentRequest } from '../sent.ts'

/** What was lost on the way, as the agent sees it. Turn 0: before the first one. */
export interface AgentLoss {
  turn: number
  what: string
}

export interface AgentResult {
  turns: number
  completed: boolean
  error: string | null
  lost: AgentLoss[]
}

/** The last of the requests gets the result. */
export function withResult(sent: SentRequest[], result: AgentResult): SentRequest[] {
  const last = sent.at(-1)
  if (last === undefined) return []
  return [...sent.slice(0, -1), { ...last, facts: { ...last.facts, agent: result as unknown as Json } }]
}
