/** The plugin `console`: a browser page that shows requests, the changes by a gateway, and responses. */
import { definePlugin } from 'svc/plugin'
import { buildClient } from './build.ts'
import { registerRoutes } from './routes.ts'
import { variables, type Variables } from './variables.ts'

export default definePlugin<Record<string, unknown>, Variables>({
  title: 'Web console',
  description: 'A browser page with live traffic, an API explorer, and the switches of the instance.',
  paths: ['/ui'],
  variables,
  exempt: [
    {
      path: '/ui',
      below: true,
      from: ['faults', 'limits', 'keys', 'inspector', 'hosts'],
      reason:
        'The console must stay usable on every host and while limits and faults apply, and its own requests are not part of the traffic it shows.',
    },
  ],
  links: [{ href: 'ui/', text: 'Console' }],
  firstSteps: [{ rank: 10, href: 'ui/', text: 'Console' }],
  register(app, svc) {
    // Generations with the same code share one build, and other plugins register while it runs.
    const client = svc.shared('client', () => buildClient(svc.folder, svc.use('core.bundler')!))
    client.catch(() => {})
    svc.whenRegistered(async () => registerRoutes(app, svc, await client))
  },
})
