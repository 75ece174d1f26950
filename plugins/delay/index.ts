/** The plugin `delay`: delayed responses. */
import { definePlugin } from 'svc/plugin'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  title: 'Delay',
  description: 'Waits for the duration in the path, then echoes the request.',
  paths: ['/delay'],
  buildsOn: ['echo'],
  register(app, svc) {
    registerRoutes(app, svc)
  },
})
