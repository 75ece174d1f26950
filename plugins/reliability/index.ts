/** The plugin `reliability`: endpoints that fail predictably. */
import { definePlugin } from 'svc/plugin'
import { registerIndex } from 'svc/toolkit'
import { createCounters } from './counters.ts'
import { registerCounterRoutes } from './routes/counters.ts'
import { registerFlaky } from './routes/flaky.ts'

export default definePlugin({
  title: 'Reliability testing',
  description: 'Endpoints that fail at a given rate, in a pattern, after some successes, or until they recover.',
  paths: ['/flaky'],
  categories: [{ name: 'Reliability Testing', rank: 220 }],
  register(app, svc) {
    const counters = createCounters(svc)
    svc.use('testing.resets').register({
      name: 'flaky',
      reset: session => (session === null ? counters.resetAll() : counters.reset(session.key)),
    })
    registerIndex(app, svc, {
      path: '/flaky',
      category: 'Reliability Testing',
      summary: 'List the endpoints that fail predictably',
    })
    registerFlaky(app, svc, counters)
    registerCounterRoutes(app, svc, counters)
  },
})
