/** The plugin `auth`: checks credentials that a gateway forwards or adds. */
import { definePlugin } from 'svc/plugin'
import { registerIndex } from 'svc/toolkit'
import { registerApiKeyRoutes } from './routes/api-key.ts'
import { registerBasicRoutes } from './routes/basic-auth.ts'
import { registerHmacRoutes } from './routes/hmac.ts'
import { registerJwtRoutes } from './routes/jwt.ts'
import { registerMtlsRoutes } from './routes/mtls.ts'

export default definePlugin({
  title: 'Auth checks',
  description: 'Checks credentials: Basic, API key, JWT, HMAC signature, client certificate.',
  paths: ['/auth'],
  categories: [
    { name: 'Auth: Basic & API Key', rank: 70 },
    { name: 'Auth: HMAC', rank: 80 },
    { name: 'Auth: JWT', rank: 90 },
    { name: 'Auth: mTLS', rank: 110 },
  ],
  buildsOn: ['identity'],
  register(app, svc) {
    registerIndex(app, svc, { path: '/auth', category: 'Auth: Basic & API Key', summary: 'List the auth checks' })
    registerBasicRoutes(app, svc)
    registerApiKeyRoutes(app, svc)
    registerJwtRoutes(app, svc)
    registerHmacRoutes(app, svc)
    registerMtlsRoutes(app, svc)
  },
})
