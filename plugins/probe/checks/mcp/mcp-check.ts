/** What the checks of MCP have in common. */
import { defineCheck, skip } from '../../catalog/check.ts'
import type { Check } from '../../catalog/check.ts'
import type { Field } from '../../client/response-parser.ts'

export const STATELESS = '2026-07-28'
export const LEGACY = '2025-11-25'
export const MODERN: Field[] = [['MCP-Protocol-Version', STATELESS]]
export const CALLED: Field[] = [
  ...MODERN,
  ['Mcp-Method', 'tools/call'],
  ['Mcp-Name', 'echo'],
  ['Mcp-Param-Text', 'probe'],
]
export const callParams = (marker: string): object => ({
  name: 'echo',
  arguments: { text: marker },
  _meta: { 'io.modelcontextprotocol/protocolVersion': STATELESS, 'io.modelcontextprotocol/clientCapabilities': {} },
})
export const RESULT = { content: [{ type: 'text', text: 'probe' }], isError: false }

type McpCheck = Omit<Check, 'group' | 'since'>

/** Judges only where requests reach the upstream as they are. */
export function mcpCheck({ judge, when, ...check }: McpCheck): Check {
  return defineCheck({
    ...check,
    group: 'mcp',
    since: '2026.1',
    when: { ...when, judgesRefusal: true, http11: true },
    judge(evidence, facts, direct) {
      const [first] = evidence.calls
      if (when?.noDirect !== true && evidence.calls.every(({ count }) => count === 0))
        return skip(`not routed: ${first?.status ?? 'closed'}`)
      return judge(evidence, facts, direct)
    },
  })
}
