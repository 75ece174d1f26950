/** The plugin `identity`: an OAuth 2.0 and OpenID Connect provider for demos. */
import { definePlugin } from 'svc/plugin'
import { createProvider } from './provider.ts'
import { registerAuthorizeRoutes } from './routes/authorize.ts'
import { registerMetadataRoutes } from './routes/metadata.ts'
import { registerRegistrationRoute } from './routes/registration.ts'
import { registerTokenRoutes } from './routes/token.ts'
import { registerDebugTokenRoute } from './routes/debug-token.ts'
import { registerUserInfoRoutes } from './routes/userinfo.ts'
import type {} from './types.ts'

export default definePlugin({
  title: 'Identity provider',
  description:
    'OAuth 2.0 and OpenID Connect provider: authorization code with PKCE, refresh, client credentials, password, token exchange, introspection, revocation, dynamic registration.',
  paths: ['/oauth', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'],
  familiar: [
    ...['/token', '/authorize', '/userinfo', '/introspect', '/revoke'].map(path => ({ path, here: `/oauth${path}` })),
    { path: '/.well-known/jwks.json', here: '/oauth/jwks' },
    { path: '/realms/{realm}/protocol/openid-connect/token', here: '/oauth/token' },
    { path: '/realms/{realm}/.well-known/openid-configuration', here: '/.well-known/openid-configuration' },
  ],
  exempt: [
    {
      path: '/oauth/jwks',
      from: ['keys'],
      reason: 'Gateways fetch the JWK Set without credentials, as they fetch the metadata under /.well-known.',
    },
  ],
  categories: [{ name: 'Auth: OIDC Provider', rank: 100 }],
  register(app, svc) {
    const provider = createProvider(svc)
    svc.offer('identity.tokens', provider.tokens)
    registerMetadataRoutes(app, provider)
    registerAuthorizeRoutes(app, provider)
    registerTokenRoutes(app, provider)
    registerUserInfoRoutes(app, provider)
    registerRegistrationRoute(app, provider)
    registerDebugTokenRoute(app, provider)
  },
})
