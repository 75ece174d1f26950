/** The clients that every issuer has. Their credentials are public. */
import { DEFAULT_ISSUER_GRANTS, DEVICE_CODE, GRANT_TYPES } from '../oauth/grant-types.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { Client } from '../stores/records.ts'

/** The demo client with a key pair, whose private key is public on purpose. */
export const KEY_CLIENT = 'svc-jwt'
/** Its algorithm. */
export const KEY_CLIENT_ALGORITHM = 'ES256'

/** The secret of the confidential demo client. */
export const DEMO_CLIENT_SECRET = 'svc-secret'

const CONFIDENTIAL: Client = {
  id: 'svc',
  name: 'svc demo client',
  secret: DEMO_CLIENT_SECRET,
  grantTypes: DEFAULT_ISSUER_GRANTS,
  redirectUris: null,
  postLogoutRedirectUris: null,
  scope: [],
}
const PUBLIC: Client = {
  id: 'svc-public',
  name: 'svc public demo client',
  secret: null,
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: null,
  postLogoutRedirectUris: null,
  scope: [],
}

/** The demo clients of an issuer by name. Those of the default issuer never change. */
export function demoClients(issuer: string): Client[] {
  if (issuer === DEFAULT_ISSUER) return [CONFIDENTIAL, PUBLIC]
  const shared = { grantTypes: GRANT_TYPES, redirectUris: null, postLogoutRedirectUris: null, scope: [] }
  return [
    { ...CONFIDENTIAL, ...shared },
    PUBLIC,
    { ...shared, id: KEY_CLIENT, name: 'svc demo client with a key', secret: null, auth: 'private_key_jwt' },
    {
      ...shared,
      id: 'svc-mtls',
      name: 'svc demo client with a certificate',
      secret: null,
      auth: 'tls_client_auth',
      // The subject of the demo client certificate.
      subjectDn: 'CN=demo-client, O=svc Demo',
      require: ['mtls'],
    },
    {
      ...shared,
      id: 'svc-device',
      name: 'svc demo device',
      secret: null,
      grantTypes: [DEVICE_CODE, 'refresh_token'],
    },
  ]
}
