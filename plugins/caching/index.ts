/** The plugin `caching`: cacheable responses and byte ranges. */
import { definePlugin } from 'svc/plugin'
import { registerCache } from './routes/cache.ts'
import { registerRange } from './routes/range.ts'

export default definePlugin({
  title: 'Caching and ranges',
  description: 'A cacheable response with validators, and byte ranges.',
  paths: ['/cache', '/range'],
  register(app, svc) {
    registerCache(app, svc)
    registerRange(app, svc)
  },
})
