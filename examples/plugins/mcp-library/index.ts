/** An MCP server with tools, resources and a prompt. It works with all protocol revisions. */
import { definePlugin } from 'svc/plugin'
import type {} from 'svc/plugins/mcp'

const BOOKS: Record<string, { title: string; year: number }> = {
  b1: { title: 'On Gateways', year: 1999 },
  b2: { title: 'The Upstream', year: 2021 },
}

export default definePlugin({
  title: 'MCP: Library',
  description: 'An MCP server with two books.',
  paths: [],
  buildsOn: ['mcp'],
  register(_app, svc) {
    const mcp = svc.use('mcp.servers')!
    const servers = ['library']

    mcp.server({
      name: 'library',
      title: 'Library',
      description: 'Two books',
      instructions: 'Find a book before you borrow it.',
    })

    mcp.tool({
      name: 'find_books',
      title: 'Find books',
      description: 'Books whose title contains a word',
      servers,
      annotations: { readOnlyHint: true },
      // Arguments are validated before `call`.
      inputSchema: {
        type: 'object',
        properties: { word: { type: 'string', minLength: 1 } },
        required: ['word'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { ids: { type: 'array', items: { type: 'string' } } },
        required: ['ids'],
      },
      call({ word }, context) {
        context.log('info', `looking for ${String(word)}`)
        const ids = Object.keys(BOOKS).filter(id => BOOKS[id]!.title.toLowerCase().includes(String(word).toLowerCase()))
        return { content: [{ type: 'text', text: ids.join(', ') || 'none' }], structuredContent: { ids } }
      },
    })

    mcp.tool({
      name: 'borrow_book',
      description: 'Borrow a book, after asking the reader',
      servers,
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      async call({ id }, context) {
        const book = BOOKS[String(id)]
        // A tool error: the model gets the text.
        if (book === undefined)
          return { content: [{ type: 'text', text: `There is no book ${String(id)}` }], isError: true }
        const { confirm } = await context.ask({
          confirm: {
            method: 'elicitation/create',
            params: { message: `Borrow "${book.title}"?`, requestedSchema: { type: 'object', properties: {} } },
          },
        })
        return {
          content: [
            {
              type: 'text',
              text: confirm.action === 'accept' ? `"${book.title}" is yours for 14 days` : 'Not borrowed',
            },
          ],
        }
      },
    })

    mcp.resource({
      uri: 'library://hours',
      name: 'hours',
      servers,
      mimeType: 'text/plain',
      read: () => ({ text: 'Monday to Friday, 9 to 17' }),
    })
    mcp.template({
      uriTemplate: 'library://books/{id}',
      name: 'book',
      servers,
      mimeType: 'application/json',
      exists: ({ id }) => Object.hasOwn(BOOKS, id ?? ''),
      complete: { id: Object.keys(BOOKS) },
      read: ({ id }) => ({ text: JSON.stringify(BOOKS[id ?? '']) }),
    })
    mcp.prompt({
      name: 'recommend',
      servers,
      arguments: [{ name: 'topic', required: true, complete: ['gateways', 'upstreams'] }],
      get: ({ topic }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Recommend a book on ${topic}.` } }],
      }),
    })
  },
})
