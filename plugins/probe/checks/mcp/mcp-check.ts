/** What the checks of MCP have in common. */
import { defineCheck, skip, type Check, type Facts, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { MCP_DISCOVERY } from './discovery.ts'

export const RESULT = { content: [{ type: 'text', text: 'probe' }], isError: false }

type McpCheck = Omit<Check, 'group' | 'since'> & {
  since?: string
  /** What the gateway answers itself is judged too. */
  judgesUnreached?: boolean
}

/** Of a request that does not reach the upstream: the gateway may be the MCP server, and answer it. */
export function unreached({ status }: Call, { mcp }: Facts): Verdict {
  const isAnswered = mcp !== null || (status !== null && status < 300)
  return skip(`${isAnswered ? 'answered by the gateway itself' : 'not routed'}: ${status ?? 'closed'}`)
}

/** Judges only where requests reach the upstream. */
export function mcpCheck({ judge, when, since = '2026.1', judgesUnreached = false, ...check }: McpCheck): Check {
  return defineCheck({
    ...check,
    group: 'mcp',
    since,
    when: { ...when, judgesRefusal: true, http11: true, discovery: MCP_DISCOVERY },
    judge(evidence, facts, direct) {
      if (when?.showsOwnAnswers !== true && !judgesUnreached && evidence.calls.every(({ count }) => count === 0))
        return unreached(evidence.first, facts)
      return judge(evidence, facts, direct)
    },
  })
}
