/** Owns the secrets that everybody may know: the public test vectors of two schemes. */

export interface DemoSecret {
  id: string
  secret: string
  receive_path: string
}

/** The first is what is signed with when nobody names a secret. */
export const DEMO_SECRETS: readonly [DemoSecret, ...DemoSecret[]] = [
  { id: 'demo', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', receive_path: '/webhooks/receive/demo' },
  { id: 'github-docs', secret: "It's a Secret to Everybody", receive_path: '/webhooks/receive/github-docs' },
]
