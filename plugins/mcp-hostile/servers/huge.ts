/** `hostile-huge`: lists and results that are too large. */
import { addServer, type HostileParts, replaceTools, textResult, unknownTool, wholeQuery } from '../hostile-server.ts'

const MAX_PAGE_BYTES = 8 * 1024 * 1024
/** Bytes of a tool without its description, at most. */
const TOOL_BYTES = 200

export function registerHuge(parts: HostileParts): void {
  const isPublic = parts.svc.config.publicMode
  const maxTools = isPublic ? 1000 : 10_000
  const maxKb = isPublic ? 512 : 8192
  const sizes = (request: Parameters<typeof wholeQuery>[0]) => ({
    count: wholeQuery(request, 'tools', 1, maxTools, Math.min(2000, maxTools)),
    bytes: wholeQuery(request, 'bytes', 0, isPublic ? 2048 : 4096, 256),
  })
  const server = addServer(parts, {
    what: 'huge',
    attack: 'It has thousands of tools with long descriptions, and results of megabytes.',
    hooks: { arrive: request => void sizes(request) },
  })
  replaceTools(parts, server, {
    list({ cursor }, context) {
      const { count, bytes } = sizes(context.http.request)
      const start = readCursor(cursor, count)
      if (start === null) throw context.rpcError(-32602, 'Invalid cursor')
      const end = Math.min(count, start + Math.floor(MAX_PAGE_BYTES / (bytes + TOOL_BYTES)))
      const description = 'x'.repeat(bytes)
      const tools = Array.from({ length: end - start }, (_, index) => ({
        name: start + index === 0 ? 'huge_result' : `tool_${start + index}`,
        description,
        inputSchema: start + index === 0 ? hugeInput(maxKb) : { type: 'object', properties: {} },
      }))
      return { tools, ...(end < count ? { nextCursor: String(end) } : {}) }
    },
    call(name, { kb = Math.min(1024, maxKb) }, context) {
      if (name !== 'huge_result') {
        if (/^tool_[1-9]\d{0,4}$/.test(name)) return textResult(`This is ${name}.`)
        throw unknownTool(name, context)
      }
      const size = Number(kb)
      if (!Number.isInteger(size) || size < 1 || size > maxKb)
        return { ...textResult(`"kb" must be a whole number from 1 to ${maxKb}`), isError: true }
      return textResult('x'.repeat(size * 1024))
    },
  })
}

const hugeInput = (maximum: number) => ({
  type: 'object',
  properties: { kb: { type: 'integer', minimum: 1, maximum, default: Math.min(1024, maximum) } },
})

/** The position; null if the cursor is not one of this list. */
function readCursor(cursor: unknown, count: number): number | null {
  if (cursor === undefined || cursor === null) return 0
  if (typeof cursor !== 'string' || !/^[1-9]\d{0,4}$/.test(cursor) || Number(cursor) >= count) return null
  return Number(cursor)
}
