/** A starting point for your own plugin. Change the title, paths, options and routes. */
import { definePlugin, describe } from 'svc/plugin'

/** The plugin's section of svc.yaml, validated against `options` below. */
interface Options {
  greeting: string
}

export default definePlugin<Options>({
  title: 'Starter',
  description: 'Says hello and counts the greetings of each session.',
  paths: ['/starter'],
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { greeting: { type: 'string', default: 'Hello', description: 'Text of the greeting' } },
  },
  register(app, svc) {
    // Survives reloads. Bound every store: clients can create any number of sessions.
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

    // Standard Fastify: the schema validates the body, and `request.log` adds the plugin and the request id.
    app.post<{ Body: { name: string } }>(
      '/starter',
      {
        ...describe({
          summary: 'Greet someone by name',
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
