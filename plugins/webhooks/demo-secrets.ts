/** Public demo secrets: the test vectors of two schemes. */

export interface DemoSecret {
  id: string
  secret: string
  receive_path: string
}

/** The first one is the default for signing. */
export const DEMO_SECRETS: readonly [DemoSecret, ...DemoSecret[]] = [
  { id: 'demo', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', receive_path: '/webhooks/receive/demo' },
  { id: 'github-docs', secret: "It's a Secret to Everybody", receive_path: '/webhooks/receive/github-docs' },
]
