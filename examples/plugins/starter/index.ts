/** The plugin for the plugin: what it is, what it serves, which options it takes. Rename and grow it. */
import { definePlugin, describe } from 'svc/plugin'

/** Its section of svc.yaml, checked against `options` below. */
interface Options {
  greeting: string
}

export default definePlugin<Options>({
  title: 'Starter',
  description: 'Greets, and counts the greetings of each session.',
  paths: ['/starter'],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { greeting: { type: 'string', default: 'Hello', description: 'What it says' } },
  },
  register(app, svc) {
    // Outlives reloads; bounded, since sessions come from whoever sends requests.
    const counts = svc.state<number>('counts', { maxCount: 1000 })

    app.get(
      '/starter',
      describe({
        summary: 'Say hello',
        category: 'Starter',
        examples: [{ name: 'Hello', path: '/starter', expectStatus: 200 }],
      }),
      async request => {
        const count = await counts.update(svc.http.session(request).key, before => (before ?? 0) + 1)
        return { greeting: svc.options.greeting, count }
      },
    )

    // Plain Fastify: a body schema parses, fills in and refuses; the request's log names plugin and request.
    app.post<{ Body: { name: string } }>(
      '/starter',
      {
        ...describe({
          summary: 'Greet somebody',
          category: 'Starter',
          examples: [
            {
              name: 'Ada',
              method: 'POST',
              path: '/starter',
              body: '{"name":"Ada"}',
              bodyType: 'json',
              expectStatus: 200,
            },
          ],
        }),
        schema: {
          body: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 100 } } },
        },
      },
      async request => {
        request.log.info({ name: request.body.name }, 'greeted')
        return { greeting: `${svc.options.greeting}, ${request.body.name}` }
      },
    )
  },
})
