/** The plugin `console`: a browser page that shows what clients sent, what a gateway made of it and what came back. */
import { definePlugin } from 'svc/plugin'
import { buildClient } from './build.ts'
import { registerRoutes } from './routes.ts'
import { variables, type Variables } from './variables.ts'

export default definePlugin<Record<string, unknown>, Variables>({
  title: 'Web console',
  description: "A browser page for presenters: live traffic, every endpoint to try, and the instance's switches.",
  paths: ['/ui'],
  variables,
  exempt: [
    {
      path: '/ui',
      below: true,
      from: ['faults', 'limits', 'keys', 'inspector'],
      reason:
        'The page that shows limits, faults and traffic must work while they act, and is no part of that traffic.',
    },
  ],
  links: [{ href: 'ui/', text: 'Console' }],
  register(app, svc) {
    // The client's files belong to the plugin's code: generations of the same code share one build. Others register meanwhile.
    const client = svc.shared('client', () => buildClient(svc.folder))
    client.catch(() => {})
    svc.whenRegistered(async () => registerRoutes(app, svc, await client))
  },
})
