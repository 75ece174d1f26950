/** Small changes of conversations, of which the faults of gateways are made. */
import type { Part, Reply, Request, ResultPart, Tool } from '../../../plugins/probe/wires/types.ts'

/** Each part of the turns; null leaves it out. */
export function ofParts(request: Request, change: (part: Part, index: number) => Part | null): Request {
  const turns = request.turns.map(turn => ({
    ...turn,
    parts: turn.parts.flatMap((part, index) => change(part, index) ?? []),
  }))
  return { ...request, turns }
}

export function ofResults(request: Request, change: (part: ResultPart) => ResultPart): Request {
  return ofParts(request, part => (part.type === 'result' ? change(part) : part))
}

export function ofTools(request: Request, change: (tool: Tool) => Tool): Request {
  return { ...request, tools: request.tools.map(change) }
}

export function ofReplyParts(reply: Reply, change: (part: Part, index: number) => Part | null): Reply {
  return { ...reply, parts: reply.parts.flatMap((part, index) => change(part, index) ?? []) }
}

export function withUsage(reply: Reply, change: object): Reply {
  return { ...reply, usage: reply.usage === null ? null : { ...reply.usage, ...change } }
}

/** A member of a schema, wherever it is. */
export function withoutKeyword(schema: unknown, keyword: string): unknown {
  if (Array.isArray(schema)) return schema.map(item => withoutKeyword(item, keyword))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => name !== keyword)
      .map(([name, value]) => [name, withoutKeyword(value, keyword)]),
  )
}
