/** The plugin `identity`: an OAuth 2.0 and OpenID Connect provider for demos. */
import { definePlugin } from 'svc/plugin'
import { registerIndex } from 'svc/toolkit'
import { FAULT } from './faults/faults.ts'
import { serveIssuerHosts } from './issuers/issuer-hosts.ts'
import { parseOrder } from './orders/order.ts'
import { createProvider } from './provider/provider.ts'
import { registerAuthorizeRoutes } from './routes/authorize.ts'
import { registerClientDocumentRoute } from './routes/client-documents.ts'
import { registerDemoKeyRoute } from './routes/demo-keys.ts'
import { registerDeviceRoutes } from './routes/device.ts'
import { registerIssuerRoutes } from './routes/issuers.ts'
import { registerLogoutRoutes } from './routes/logout.ts'
import { registerMetadataRoutes } from './routes/metadata.ts'
import { orderToken, registerOrderRoutes } from './routes/orders.ts'
import { registerParRoute } from './routes/par.ts'
import { registerRegistrationRoute } from './routes/registration.ts'
import { registerRotationRoutes } from './routes/rotation.ts'
import { registerTokenRoutes } from './routes/token.ts'
import { registerUserInfoRoutes } from './routes/userinfo.ts'
import { type IdentityOptions, OPTIONS } from './settings/options.ts'

export default definePlugin<IdentityOptions>({
  title: 'Identity provider',
  description:
    'OAuth 2.0 and OpenID Connect provider: authorization code with PKCE, refresh, client credentials, password, token exchange, introspection, revocation, dynamic registration.',
  paths: ['/oauth', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/_svc/identity'],
  options: OPTIONS,
  faultKinds: [FAULT],
  exposes: ['DPoP-Nonce'],
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
    {
      path: '/oauth/i/{issuer}/jwks',
      from: ['keys'],
      reason: 'The same for the issuers by path.',
    },
    {
      path: '/oauth/i/{issuer}/.well-known/{document}',
      from: ['keys'],
      reason: 'The metadata of the issuers by path.',
    },
  ],
  categories: [{ name: 'Auth: OIDC Provider', rank: 100 }],
  register(app, svc) {
    const provider = createProvider(svc)
    svc.offer('identity.tokens', {
      ...provider.tokens,
      async order(order, request, name = provider.issuers.default.name) {
        const issuer = await provider.issuers.find(name)
        if (issuer === undefined) throw new Error(`there is no issuer ${name}`)
        return orderToken(parseOrder(order), issuer, request, provider)
      },
    })
    svc.whenRegistered(() => serveIssuerHosts(svc, provider.tokens.names))
    svc.offer('identity.issuers', { issuer: settings => provider.issuers.add(settings) })
    registerIndex(app, svc, {
      path: '/oauth',
      category: 'Auth: OIDC Provider',
      summary: 'List the endpoints of the identity provider',
      links: { metadata: '/.well-known/openid-configuration' },
    })
    registerMetadataRoutes(app, provider)
    registerAuthorizeRoutes(app, provider)
    registerTokenRoutes(app, provider)
    registerDeviceRoutes(app, provider)
    registerParRoute(app, provider)
    registerLogoutRoutes(app, provider)
    registerUserInfoRoutes(app, provider)
    registerRegistrationRoute(app, provider)
    registerOrderRoutes(app, provider)
    registerDemoKeyRoute(app, provider)
    registerClientDocumentRoute(app, provider)
    registerIssuerRoutes(app, provider)
    registerRotationRoutes(app, provider)
  },
})
