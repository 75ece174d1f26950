/** `hostile-cursor`: pages of the list of tools that never end, or lead nowhere. */
import type { JsonObject } from '../../mcp/types.ts'
import { addServer, type HostileParts, replaceTools, textResult, unknownTool, wordQuery } from '../hostile-server.ts'

const KINDS = ['cycle', 'same', 'empty', 'garbage', 'long'] as const
const GARBAGE = '\u0001%"<'.repeat(1024)
const LONG_PAGES = 1000

export function registerCursor(parts: HostileParts): void {
  const kindOf = (request: Parameters<typeof wordQuery>[0]) => wordQuery(request, 'kind', KINDS, 'cycle')
  const server = addServer(parts, {
    what: 'cursor',
    attack: 'The pages of its list of tools never end.',
    hooks: { arrive: request => void kindOf(request) },
  })
  replaceTools(parts, server, {
    list: ({ cursor }, context) => page(kindOf(context.http.request), cursor),
    call(name, _, context) {
      if (!/^tool_\w{1,4}$/.test(name)) throw unknownTool(name, context)
      return textResult(`This is ${name}.`)
    },
  })
}

function page(kind: (typeof KINDS)[number], cursor: unknown): JsonObject {
  switch (kind) {
    case 'cycle':
      return cursor === 'B' ? { tools: [tool('b')], nextCursor: 'A' } : { tools: [tool('a')], nextCursor: 'B' }
    case 'same':
      return { tools: [tool('a')], nextCursor: 'A' }
    case 'empty':
      return { tools: [], nextCursor: `page-${Number(/^page-(\d{1,9})$/.exec(String(cursor))?.[1] ?? 0) + 1}` }
    case 'garbage':
      return { tools: [tool('a')], nextCursor: GARBAGE }
    case 'long': {
      const position = Number(/^(\d{1,4})$/.exec(String(cursor))?.[1] ?? 0)
      return {
        tools: [tool(String(position))],
        ...(position + 1 < LONG_PAGES ? { nextCursor: String(position + 1) } : {}),
      }
    }
  }
}

function tool(suffix: string): JsonObject {
  return { name: `tool_${suffix}`, description: 'A tool', inputSchema: { type: 'object', properties: {} } }
}
