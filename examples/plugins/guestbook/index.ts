/** Plain routes: options of svc.yaml, data that outlive a reload, JSON or XML, refusals that say what was expected. */
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
  description: 'Entries that visitors leave, kept apart by session.',
  paths: ['/guestbook'],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      title: { type: 'string', maxLength: 100, default: 'Guests', description: 'Heading of the book' },
      max_entries: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 20,
        description: 'Entries of one session; the oldest goes first',
      },
    },
  },
  register(app, svc) {
    const { title, max_entries: maxEntries } = svc.options
    // Every store is bounded: sessions come from whoever sends requests.
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
        summary: 'Leave an entry',
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
        responses: { 201: { description: 'The entry' }, 400: { description: 'No name or no text' } },
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

/** Throws a 400 that says what is missing. */
function readEntry(body: Buffer): Entry {
  const { name, text } = readJsonObject(body) ?? {}
  if (typeof name !== 'string' || name === '') throw refusal(400, 'invalid_entry', 'expected a JSON object with a name')
  if (typeof text !== 'string' || text.length > 1000)
    throw refusal(400, 'invalid_entry', 'expected a text of at most 1000 characters')
  return { name, text }
}
