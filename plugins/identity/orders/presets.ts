/** Ready-made orders. Each shows one thing that a verifier must accept or refuse. */

/** An order with a description. */
export interface Preset {
  order: Record<string, unknown>
  description: string
}

const preset = (description: string, order: Record<string, unknown>): Preset => ({ order, description })

/** By name, in the order in which they are listed. */
export const PRESETS: Record<string, Preset> = {
  valid: preset('A normal access token', {}),
  expired: preset('Expired an hour ago', { expires_in: -3600, issued_in: -7200 }),
  'expired-leeway': preset('Expired ten seconds ago, within the usual leeway', { expires_in: -10, issued_in: -3610 }),
  'not-yet-valid': preset('Valid in an hour', { not_before_in: 3600, expires_in: 7200 }),
  'no-exp': preset('Without an expiry time', { expires_in: null }),
  'text-exp': preset('An expiry time that is text', { claims: { exp: 'tomorrow' } }),
  'wrong-audience': preset('For another audience', { audience: 'https://other.example' }),
  'no-audience': preset('Without an audience', { claims: { aud: null } }),
  'wrong-issuer': preset('Of another issuer, by its claim', { issuer: 'https://attacker.example' }),
  'no-issuer': preset('Without an issuer', { claims: { iss: null } }),
  'id-token': preset('An ID token', { kind: 'id' }),
  'logout-token': preset('A logout token', { kind: 'logout' }),
  'wrong-typ': preset('With another type in the header', { header: { typ: 'secevent+jwt' } }),
  unscoped: preset('Without a scope', { claims: { scope: null } }),
  groupless: preset('Without groups', { claims: { groups: null } }),
  'wrong-signature': preset('One bit of the signature is wrong', { wrong_signature: true }),
  'empty-signature': preset('An empty signature', { wrong_signature: 'empty' }),
  'foreign-key': preset('Signed with another key under the id of the current one', { key: 'foreign' }),
  'unknown-kid': preset('Signed with a key that is not published', { key: 'unpublished' }),
  'other-issuer-key': preset('Signed with the key of another issuer', { key: 'other-issuer' }),
  'no-kid': preset('Without a key id', { kid: null }),
  none: preset('Not signed, with the algorithm none', { algorithm: 'none' }),
  'none-mixed-case': preset('Not signed, with the algorithm nOnE', { algorithm: 'nOnE' }),
  'hs-confusion': preset('HMAC with the public key as secret', { key: 'hs-confusion' }),
  'empty-secret': preset('HMAC with an empty secret', { key: 'empty' }),
  'embedded-jwk': preset('Brings its own key in the header jwk', { key: 'embedded' }),
  jku: preset('Names its own key set in the header jku', { key: 'jku' }),
  x5c: preset('Brings its own certificate in the header x5c', { key: 'x5c' }),
  crit: preset('With an unknown critical extension', { header: { crit: ['x-svc-unknown'], 'x-svc-unknown': true } }),
  'two-parts': preset('Without a signature part', { shape: 'two-parts' }),
  'duplicate-claims': preset('The claim sub occurs twice', { shape: 'duplicate-claims' }),
  nested: preset('A claim with 200 levels', { shape: 'nested' }),
  huge: preset('Claims of 32 KiB; 16 KiB in public mode', { bytes: 32_768 }),
}
