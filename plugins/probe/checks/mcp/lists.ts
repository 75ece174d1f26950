/** Lists of tools, resources and prompts come back whole. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, worst, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { each } from '../builders.ts'
import { rpc, rpcAnswer, rpcResult } from '../json-rpc.ts'
import { jsonDifferences } from '../llm/json-values.ts'
import { mcpCheck } from './mcp-check.ts'
import { requestFields } from './revisions.ts'

const LISTS: Record<string, { key: string; items: Record<string, unknown>[] }> = {
  'tools/list': {
    key: 'tools',
    items: [
      {
        name: 'probe_deep',
        title: 'Deep',
        description: 'Tür, 50 %',
        inputSchema: {
          type: 'object',
          properties: {
            a: {
              anyOf: [
                { type: 'string', pattern: '^x' },
                { type: 'array', items: { $ref: '#/$defs/n' }, maxItems: 3 },
              ],
            },
          },
          $defs: { n: { type: 'number', minimum: 0.5, 'x-probe': true } },
          additionalProperties: false,
        },
        outputSchema: { type: 'object', properties: { b: { type: 'integer' } } },
        annotations: { readOnlyHint: true, destructiveHint: false },
        _meta: { 'probe.example/meta': { deep: [1, { two: null }] } },
        'x-unknown': 'kept',
      },
      { name: 'probe_plain', inputSchema: { type: 'object' } },
    ],
  },
  'resources/list': {
    key: 'resources',
    items: [
      { uri: 'probe://a?b=%2F', name: 'probe_resource', mimeType: 'text/plain', size: 12, _meta: { kept: true } },
    ],
  },
  'prompts/list': {
    key: 'prompts',
    items: [{ name: 'probe_prompt', description: 'p', arguments: [{ name: 'x', required: true }], _meta: { kept: 1 } }],
  },
}

function judgeList(call: Call, key: string, items: readonly Record<string, unknown>[]): Verdict[] {
  const result = rpcAnswer(call)?.result
  const back = isRecord(result) && Array.isArray(result[key]) ? result[key].filter(isRecord) : []
  const found = items.flatMap((item): Verdict[] => {
    const name = String(item.name)
    const same = back.find(one => typeof one.name === 'string' && one.name.endsWith(name))
    if (same === undefined) return [fail(`${call.label}: ${name} is lost`)]
    const { missing = [], changed = [] } = jsonDifferences(JSON.stringify(item), JSON.stringify(same)) ?? {}
    const wrong = [...missing, ...changed].filter(path => path !== '/name')
    if (wrong.length > 0) return [fail(`${call.label}: lost or changed in ${name}: ${wrong.slice(0, 5).join(', ')}`)]
    return same.name === name ? [] : [note(`${call.label}: ${name} is called ${String(same.name)}`)]
  })
  if (isRecord(result) && result.nextCursor !== 'probe-cursor') found.push(fail(`${call.label}: the cursor is lost`))
  return found
}

export const MCP_LIST = mcpCheck({
  id: 'MCP-LIST',
  title: 'Lists are whole',
  level: 'integrity',
  sources: [{ spec: 'MCP' }],
  page: {
    sent: 'Lists of tools, resources and prompts with deep schemas, annotations, _meta, unknown members and a cursor.',
    expected: 'All of it comes back; other names are noted.',
    why: 'A model calls a tool wrongly whose schema has lost a keyword.',
  },
  plan: facts =>
    each(
      Object.entries(LISTS).map(([method, { key, items }]) =>
        rpc(method, method, {
          params: marker => ({ _meta: { probe: marker } }),
          fields: requestFields(facts, method),
          script: () => rpcResult({ [key]: items, nextCursor: 'probe-cursor' }),
        }),
      ),
    ),
  judge(evidence) {
    const found = Object.entries(LISTS).flatMap(([method, { key, items }]) => {
      const call = evidence.call(method)
      return call.count === 0 ? [] : judgeList(call, key, items)
    })
    return found.length === 0 ? pass() : worst(found)
  },
})
