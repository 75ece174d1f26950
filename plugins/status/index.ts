/** The plugin `status`: responds with the requested status and headers. */
import { definePlugin } from 'svc/plugin'
import { registerResponseHeaders } from './routes/response-headers.ts'
import { registerStatus } from './routes/status.ts'

export default definePlugin({
  title: 'Status codes and response headers',
  description: 'Responds with any status code, a weighted random one, or any headers.',
  paths: ['/status', '/response-headers'],
  categories: [{ name: 'Status Codes', rank: 20 }],
  register(app, svc) {
    registerStatus(app, svc)
    registerResponseHeaders(app, svc)
  },
})
