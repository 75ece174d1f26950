/** The plugin `orchestration`: four steps that only succeed if every header is passed on. */
import { definePlugin } from 'svc/plugin'
import { registerStatus } from './routes/status.ts'
import { registerSteps } from './routes/steps.ts'

export default definePlugin({
  title: 'Orchestration',
  description:
    'A payment in four calls: authenticate, enrich, validate, process. Each call needs the result of the previous one.',
  paths: ['/orchestration'],
  categories: [{ name: 'Orchestration', rank: 170 }],
  register(app, svc) {
    registerStatus(app, svc)
    registerSteps(app, svc)
  },
})
