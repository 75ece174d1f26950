/** Routes with options from svc.yaml, data that survives reloads, JSON or XML, and helpful error messages. */
import { definePlugin, describe, readJsonObject, refusal } from 'svc/plugin'

interface Options {
  title: string
  max_entries: number
}

interface Entry {
  name: string
  text: string
}

export default definePlugin<Options>({
  title: 'Guest book',
  description: 'Guest book entries, separate for each session.',
  paths: ['/guestbook'],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      title: { type: 'string', maxLength: 100, default: 'Guests', description: 'Title of the guest book' },
      max_entries: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 20,
        description: 'Maximum number of entries per session; the oldest are removed',
      },
    },
  },
  register(app, svc) {
    const { title, max_entries: maxEntries } = svc.options
    // Bound every store: clients can create any number of sessions.
    const books = svc.state<Entry[]>('books', { maxCount: 1000, ttlMs: 24 * 3_600_000, ttlFrom: 'use' })

    app.get(
      '/guestbook',
      describe({
        summary: 'Read the guest book',
        category: 'Guest book',
        negotiated: true,
        examples: [{ name: 'All entries', path: '/guestbook', expectStatus: 200 }],
      }),
      async (request, reply) => {
        const entries = (await books.get(svc.http.session(request).key)) ?? []
        return svc.http.negotiate(request, reply, { title, entries })
      },
    )

    app.post(
      '/guestbook',
      describe({
        summary: 'Add an entry',
        category: 'Guest book',
        negotiated: true,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              type: 'object',
              required: ['name', 'text'],
              properties: { name: { type: 'string' }, text: { type: 'string' } },
            },
          },
        },
        responses: { 201: { description: 'The entry' }, 400: { description: 'The name or the text is missing' } },
        examples: [
          {
            name: 'A greeting',
            method: 'POST',
            path: '/guestbook',
            body: '{"name":"Ada","text":"Hello"}',
            bodyType: 'json',
            expectStatus: 201,
          },
        ],
      }),
      async (request, reply) => {
        const entry = readEntry(svc.http.body(request))
        await books.update(svc.http.session(request).key, entries => [...(entries ?? []), entry].slice(-maxEntries))
        return svc.http.negotiate(request, reply.code(201), entry)
      },
    )
  },
})

/** Throws a 400 that names the missing member. */
function readEntry(body: Buffer): Entry {
  const { name, text } = readJsonObject(body) ?? {}
  if (typeof name !== 'string' || name === '') throw refusal(400, 'invalid_entry', 'expected a JSON object with a name')
  if (typeof text !== 'string' || text.length > 1000)
    throw refusal(400, 'invalid_entry', 'expected a text of at most 1000 characters')
  return { name, text }
}
