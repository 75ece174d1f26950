/** What the MCP servers are measured against: a bare Fastify POST route that parses a call and answers the same JSON. */
import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'

interface Call { id: number; params: { arguments: { a: number; b: number } } }

const app = Fastify()
app.post('/mcp', request => {
  const { id, params } = request.body as Call
  const sum = params.arguments.a + params.arguments.b
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: String(sum) }], structuredContent: { sum }, isError: false } }
})
await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`HTTP listening on 127.0.0.1:${(app.server.address() as AddressInfo).port}\n`)
