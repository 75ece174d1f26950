import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
let library: Client
before(async () => {
  server = await startTestServer({ folders: [import.meta.dirname], plugins: ['mcp-library'] })
  library = new Client({ name: 'reader', version: '1' }, { capabilities: { elicitation: {} } })
  library.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: params.message.includes('Upstream') ? 'accept' : 'decline',
  }))
  await library.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/servers/library`)))
})
after(async () => {
  await library.close()
  await server.stop()
})

test('the server lists only its own content', async () => {
  assert.equal(library.getInstructions(), 'Find a book before you borrow it.')
  assert.deepEqual(
    (await library.listTools()).tools.map(({ name }) => name),
    ['find_books', 'borrow_book'],
  )
  assert.deepEqual(
    (await library.listPrompts()).prompts.map(({ name }) => name),
    ['recommend'],
  )
})

test('tools return results, ask the user and report errors', async () => {
  assert.deepEqual((await library.callTool({ name: 'find_books', arguments: { word: 'gate' } })).structuredContent, {
    ids: ['b1'],
  })
  const borrow = async (id: string): Promise<unknown> =>
    (await library.callTool({ name: 'borrow_book', arguments: { id } })).content
  assert.deepEqual(await borrow('b2'), [{ type: 'text', text: '"The Upstream" is yours for 14 days' }])
  assert.deepEqual(await borrow('b1'), [{ type: 'text', text: 'Not borrowed' }])
  assert.equal((await library.callTool({ name: 'borrow_book', arguments: { id: 'b9' } })).isError, true)
})

test('resources and prompts can be read', async () => {
  const { contents } = await library.readResource({ uri: 'library://books/b2' })
  assert.deepEqual(JSON.parse((contents[0] as { text: string }).text), { title: 'The Upstream', year: 2021 })
  await assert.rejects(library.readResource({ uri: 'library://books/b9' }))
  const { messages } = await library.getPrompt({ name: 'recommend', arguments: { topic: 'gateways' } })
  assert.deepEqual(messages[0]?.content, { type: 'text', text: 'Recommend a book on gateways.' })
})
