/** Owns the secure agent, which requires an access token and says where to get one. */
import { shownText } from 'svc/toolkit'
import type { AgentDefinition } from '../types.ts'

const SHOWN_CLAIMS = ['sub', 'iss', 'aud', 'scope', 'client_id', 'exp'] as const

export const secure: AgentDefinition = {
  id: 'secure',
  name: 'Secure Agent',
  description: 'Requires an access token from the built-in identity provider and shows its claims',
  inputModes: ['text/plain'],
  outputModes: ['application/json', 'text/plain'],
  skills: [
    {
      id: 'whoami',
      name: 'Who am I',
      description: 'Returns the claims of the token',
      tags: ['oauth', 'identity'],
      examples: ['Who am I?'],
    },
  ],
  requiresToken: true,
  extendedSkills: [
    {
      id: 'audit-log',
      name: 'Audit log',
      description: 'Listed only for clients with a valid token',
      tags: ['oauth', 'audit'],
      examples: ['What was done lately?'],
    },
  ],
  steps(_message, { claims, isTokenRefused, baseUrl, stepDelayMs }) {
    if (!claims) {
      const why = isTokenRefused ? 'The access token was refused' : 'An access token is missing'
      return [
        { state: 'AUTH_REQUIRED', text: `${why}: get one at ${baseUrl}/oauth/token and send it with the same task` },
      ]
    }
    const afterMs = stepDelayMs(50)
    const shown = SHOWN_CLAIMS.filter(name => claims[name] !== undefined).map(name => [name, claims[name]])
    return [
      { afterMs, state: 'WORKING', text: 'Reading the token' },
      {
        afterMs,
        artifact: {
          artifactId: 'whoami',
          name: 'whoami',
          parts: [{ data: { ...Object.fromEntries(shown), authenticated: true }, mediaType: 'application/json' }],
        },
      },
      { state: 'COMPLETED', text: `Authenticated as ${shownText(claims.sub)}` },
    ]
  },
}
