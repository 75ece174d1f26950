/** The plugin `delay`: answers late. */
import { definePlugin } from 'svc/plugin'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  title: 'Delay',
  description: 'Waits as long as the path says, then says back the request.',
  paths: ['/delay'],
  buildsOn: ['echo'],
  register(app, svc) {
    registerRoutes(app, svc)
  },
})
