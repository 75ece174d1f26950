/** The plugin `status`: answers with the status and the headers that are asked for. */
import { definePlugin } from 'svc/plugin'
import { registerResponseHeaders } from './routes/response-headers.ts'
import { registerStatus } from './routes/status.ts'

export default definePlugin({
  title: 'Status codes and response headers',
  description: 'Answers with any status code, one drawn by weight, or any response headers.',
  paths: ['/status', '/response-headers'],
  categories: [{ name: 'Status Codes', rank: 20 }],
  register(app, svc) {
    registerStatus(app, svc)
    registerResponseHeaders(app, svc)
  },
})
