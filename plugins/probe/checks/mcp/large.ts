/** Lists of hundreds of tools, in pages. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, type Facts } from '../../catalog/check.ts'
import { Call, type Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec, ExchangeRecord } from '../../client/exchange.ts'
import { rpc, rpcAnswer, rpcRequest, rpcResult } from '../json-rpc.ts'
import { mcpCheck, unreached } from './mcp-check.ts'
import { requestFields } from './revisions.ts'

const PAGES = 12
const TOOLS_OF_PAGE = 25
const TOOLS = PAGES * TOOLS_OF_PAGE
/** Characters. */
const SCHEMA = 4_096
const LONG_DESCRIPTION = 64 * 1_024
/** Has the long description. */
const LONG = 137
const SEARCH = /search|find|discover|lookup/i

const labelOf = (page: number): string => `page ${page + 1}`
/** Opaque for clients, with characters that have a meaning elsewhere. */
const cursorOf = (page: number): string => `probe/page=${page}+x&y==`
const nameOf = (tool: number): string => `probe_tool_${String(tool).padStart(3, '0')}`

function toolOf(tool: number): object {
  const properties = Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [
      `argument_${index}`,
      { type: 'string', description: `Argument ${index} of tool ${tool}. `.padEnd(110, 'x') },
    ]),
  )
  const inputSchema = { type: 'object', properties, description: '' }
  inputSchema.description = 'y'.repeat(Math.max(0, SCHEMA - JSON.stringify(inputSchema).length))
  return {
    name: nameOf(tool),
    description: tool === LONG ? 'long '.repeat(LONG_DESCRIPTION / 5) : `Tool ${tool}`,
    inputSchema,
  }
}

function pageOf(facts: Facts, page: number, cursor: string | null): ConnectionSpec {
  return {
    requests: [
      rpc(labelOf(page), 'tools/list', {
        params: marker => ({ ...(cursor === null ? {} : { cursor }), _meta: { probe: marker } }),
        fields: requestFields(facts, 'tools/list'),
        script: () =>
          rpcResult({
            tools: Array.from({ length: TOOLS_OF_PAGE }, (_, index) => toolOf(page * TOOLS_OF_PAGE + index)),
            ...(page + 1 < PAGES ? { nextCursor: cursorOf(page + 1) } : {}),
          }),
      }),
    ],
  }
}

const resultOf = (call: Call): Record<string, unknown> => {
  const result = rpcAnswer(call)?.result
  return isRecord(result) ? result : {}
}
const toolsOf = (call: Call): Record<string, unknown>[] => {
  const { tools } = resultOf(call)
  return Array.isArray(tools) ? tools.filter(isRecord) : []
}

function cursorIn(record: ExchangeRecord | undefined): string | null {
  const call = record?.calls[0]
  if (call === undefined) return null
  const { nextCursor } = resultOf(new Call(call, record!, []))
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : null
}

function problemsOf(evidence: Evidence): string[] {
  const problems: string[] = []
  for (const [page, call] of evidence.calls.entries()) {
    const params = rpcRequest(call)?.params
    const cursor = isRecord(params) ? (params.cursor ?? null) : null
    if (call.count === 0) problems.push(`${call.label} is answered with ${call.status ?? 'nothing'}`)
    else if (cursor !== (page === 0 ? null : cursorOf(page)))
      problems.push(`${call.label}: the cursor arrives as ${JSON.stringify(cursor).slice(0, 60)}`)
  }
  return problems
}

export const MCP_LARGE = mcpCheck({
  id: 'MCP-LARGE',
  title: 'Large catalogs of tools',
  level: 'integrity',
  since: '2026.2',
  sources: [{ spec: 'MCP' }],
  page: {
    sent: `A list of ${TOOLS} tools in ${PAGES} pages, with schemas of 4 KB and one description of 64 KB.`,
    expected: 'All of them come back, page by page, by cursors that lead to the next page.',
    why: 'A gateway that reads only the first page, or cuts long texts, hides tools without an error.',
  },
  plan: facts => ({
    inOrder: true,
    connections: [pageOf(facts, 0, null)],
    maxFollowed: PAGES,
    follow(records) {
      const cursor = cursorIn(records.at(-1))
      return cursor === null || records.length >= PAGES ? null : pageOf(facts, records.length, cursor)
    },
  }),
  judge(evidence, facts) {
    if (evidence.first.count === 0) return unreached(evidence.first, facts)
    const tools = evidence.calls.flatMap(toolsOf)
    const byName = new Map(
      tools.flatMap(tool =>
        typeof tool.name === 'string' ? [[/probe_tool_\d{3}$/.exec(tool.name)?.[0] ?? tool.name, tool] as const] : [],
      ),
    )
    const lost = Array.from({ length: TOOLS }, (_, tool) => nameOf(tool)).filter(name => !byName.has(name))
    const values = { pages: evidence.calls.length, tools: TOOLS - lost.length }
    const others = tools.filter(({ name }) => typeof name === 'string' && SEARCH.test(name))
    if (lost.length === TOOLS && others.length > 0)
      return note(`replaced by tools that search: ${others.map(({ name }) => String(name)).join(', ')}`, values)
    const problems = problemsOf(evidence)
    if (lost.length > 0) problems.push(`${lost.length} of ${TOOLS} tools are lost, the first of them is ${lost[0]}`)
    const changed = [...byName].filter(([name, tool]) => {
      const number = Number(/^probe_tool_(\d{3})$/.exec(name)?.[1] ?? Number.NaN)
      if (Number.isNaN(number)) return false
      const expected = toolOf(number) as Record<string, unknown>
      return (
        tool.description !== expected.description ||
        JSON.stringify(tool.inputSchema).length < JSON.stringify(expected.inputSchema).length
      )
    })
    if (changed.length > 0) problems.push(`cut in ${changed.length} tools, such as ${changed[0]![0]}`)
    return problems.length > 0 ? fail(problems.slice(0, 4).join('; '), values) : pass('', values)
  },
})
