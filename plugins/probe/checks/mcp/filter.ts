/** Tools that a gateway must not show. */
import { isRecord } from 'svc/toolkit'
import { fail, pass, type Facts } from '../../catalog/check.ts'
import type { RequestSpec } from '../../client/request.ts'
import { each } from '../builders.ts'
import { rpc, rpcAnswer, rpcResult } from '../json-rpc.ts'
import { mcpCheck, RESULT, unreached } from './mcp-check.ts'
import { callFields, callParams, requestFields, serverOf } from './revisions.ts'

/** Each of them is called in three ways. */
const MAX_HIDDEN = 10
const KEPT = 'probe_kept'

/** What the gateway puts in front of the names of this server's tools. */
const prefixOf = (facts: Facts): string => serverOf(facts).tool.replace(/echo$/i, '')

/** Names under which a server may know a hidden tool: as it is, in another case, with a blank. */
function namesOf(facts: Facts): string[] {
  const prefix = prefixOf(facts)
  return facts.hiddenTools.slice(0, MAX_HIDDEN).flatMap(name => {
    const shown = name.startsWith(prefix) ? name : `${prefix}${name}`
    const upper = shown.toUpperCase()
    return [shown, upper === shown ? shown.toLowerCase() : upper, `${shown} `]
  })
}

function called(facts: Facts, name: string): RequestSpec {
  const own = { mcp: { ...serverOf(facts), tool: name } }
  // A field has no spaces at its ends.
  const fields = callFields(own).map(([field, value]) => [field, value.trim()] as const)
  return rpc(`call ${JSON.stringify(name)}`, 'tools/call', {
    params: callParams(own),
    fields,
    isValid: false,
    script: () => rpcResult(RESULT),
  })
}

export const MCP_FILTER = mcpCheck({
  id: 'MCP-FILTER',
  title: 'Hidden tools stay hidden',
  level: 'integrity',
  since: '2026.2',
  sources: [],
  when: { routes: ['mcp.hidden'] },
  judgesUnreached: true,
  page: {
    sent: 'A list with the tools of `mcp.hidden`; then calls of each: by its name, in another case, and with a blank behind it.',
    expected: 'The list comes back without them, and no call arrives.',
    why: 'A tool that is only left out of the list can be called by everybody who knows its name.',
  },
  plan: facts =>
    each([
      rpc('list', 'tools/list', {
        params: marker => ({ _meta: { probe: marker } }),
        fields: requestFields(facts, 'tools/list'),
        script: () =>
          rpcResult({
            tools: [...facts.hiddenTools, KEPT].map(name => ({ name, inputSchema: { type: 'object' } })),
          }),
      }),
      ...namesOf(facts).map(name => called(facts, name)),
    ]),
  judge(evidence, facts) {
    const list = evidence.call('list')
    const result = rpcAnswer(list)?.result
    const tools: unknown[] = isRecord(result) && Array.isArray(result.tools) ? result.tools : []
    const names = tools.flatMap(tool => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []))
    const calls = evidence.calls.filter(call => call !== list)
    if (list.count === 0 && names.length === 0 && calls.every(({ count }) => count === 0)) return unreached(list, facts)
    const prefix = prefixOf(facts)
    const listed = facts.hiddenTools.filter(hidden =>
      names.some(name => name === hidden || name === `${prefix}${hidden}`),
    )
    const arrived = calls.filter(({ count }) => count > 0).map(({ label }) => label)
    const wrong = [
      ...(listed.length > 0 ? [`listed: ${listed.slice(0, 5).join(', ')}`] : []),
      ...(arrived.length > 0 ? [`arrives: ${arrived.slice(0, 5).join(', ')}`] : []),
    ]
    const values = { listed, arrived }
    return wrong.length > 0 ? fail(wrong.join('; '), values) : pass('', values)
  },
})
