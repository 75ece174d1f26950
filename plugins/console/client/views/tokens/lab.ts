/** What the token lab holds while the page is open: the tokens got last, the one looked at, and what was asked. Nothing is stored. */
import { signal } from '@preact/signals'
import { DEMO_CLIENT, type Asked, type Client } from '../../lib/tokens/oauth.ts'

/** What a token endpoint answers (RFC 6749, 5.1; OIDC Core 3.1.3.3). */
export interface TokenSet {
  access_token: string
  token_type?: string
  expires_in?: number
  scope?: string
  id_token?: string
  refresh_token?: string
  issued_token_type?: string
}

/** The client of the form, which also introspects and revokes. */
export const labClient = signal<Client>(DEMO_CLIENT)
export const tokenSet = signal<TokenSet | null>(null)
/** The token in the field "Token". */
export const token = signal('')
/** Newest first. */
export const asked = signal<readonly Asked[]>([])

const MAX_ASKED = 20

export function note(exchange: Asked): Asked {
  asked.value = [exchange, ...asked.peek()].slice(0, MAX_ASKED)
  return exchange
}

/** The tokens of an answer; throws what the provider said when it refused (RFC 6749, 5.2). */
export function takeTokens({ status, body }: Asked): void {
  const answer = body as Partial<TokenSet> & { error?: unknown; error_description?: unknown }
  if (status !== 200 || typeof answer?.access_token !== 'string') {
    throw new Error(
      typeof answer?.error === 'string'
        ? `${answer.error}: ${String(answer.error_description ?? `status ${status}`)}`
        : `The token endpoint answered ${status} without a token.`,
    )
  }
  tokenSet.value = answer as TokenSet
  token.value = answer.access_token
}
