/** A host of MCP servers: the handshake, lists, a stream that stays open, and calls of tools that the server lists. */
import { isRecord } from 'svc/toolkit'
import type { HostShape } from '../../file/agent-shape.ts'
import type { AgentTraffic, McpAction } from '../../file/demo.ts'
import type { SentRequest } from '../sent.ts'
import { withResult, type AgentLoss } from './agent-result.ts'
import { sendMcp } from './mcp.ts'
import type { SendOptions } from './request.ts'

export async function sendHost(shape: HostShape, traffic: AgentTraffic, options: SendOptions): Promise<SentRequest[]> {
  const { path, lists, calls, streamMs } = shape
  const lost: AgentLoss[] = []
  let turns = 0
  const missing = (what: string): void => void lost.push({ turn: turns, what })
  const further = (listed: readonly SentRequest[]): McpAction[] => {
    const names = listed.flatMap(toolsIn)
    return calls.flatMap(({ name, arguments: given }): McpAction[] => {
      // Gateways put a prefix in front of the names.
      const found = names.find(one => one === name) ?? names.find(one => one.endsWith(name))
      if (found === undefined) missing(`the tool ${name}`)
      return found === undefined ? [] : [{ do: 'call', name: found, arguments: given }]
    })
  }
  const { headers, bearer: token } = traffic
  const results = await sendMcp(
    { kind: 'mcp', path, actions: lists, revision: null, token, elicit: null, headers },
    options,
    { further, streamMs },
  )
  let error: string | null = null
  for (const { status, error: broken, facts } of results) {
    turns++
    if (status === null || broken !== null) error ??= `no answer: ${broken ?? 'the connection was closed'}`
    else if (facts.stream === true) {
      // Streamable HTTP: a server without such a stream answers with 405.
      if (status !== 200 && status !== 405) missing(`the stream, answered with ${status}`)
    } else if (status !== 200) error ??= `answered with ${status}`
    else if (facts.error !== undefined) missing(`an answer: ${String(facts.error).slice(0, 200)}`)
  }
  return withResult(results, { turns, completed: error === null, error, lost })
}

function toolsIn({ body }: SentRequest): string[] {
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    return []
  }
  const result = isRecord(message) ? message.result : undefined
  const tools = isRecord(result) && Array.isArray(result.tools) ? result.tools : []
  return tools.flatMap(tool => (isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : []))
}
