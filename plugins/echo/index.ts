/** The plugin `echo`: echoes requests. */
import { definePlugin } from 'svc/plugin'
import { registerRoutes } from './routes.ts'
import { createRecorder } from './record.ts'
import { registerWire } from './wire.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Echo',
  description: 'Echoes the request: method, URL, headers and body, as received.',
  paths: ['/echo', '/anything', '/wire'],
  categories: [{ name: 'Echo & Reflection', rank: 10 }],
  firstSteps: [
    { rank: 10, path: '/echo?hello=gateway' },
    { rank: 20, path: '/echo', headers: [{ name: 'X-Svc-Fail', value: '503' }] },
  ],
  register(app, svc) {
    const record = createRecorder(svc)
    svc.offer('echo.record', record)
    registerRoutes(app, svc, record)
    registerWire(app, svc)
  },
})
