/** State of the token lab: the last tokens, the current token, and past requests. Nothing is stored. */
import { signal } from '@preact/signals'
import { DEMO_CLIENT, type SentExchange, type Client } from '../../lib/tokens/oauth.ts'

/** Response of a token endpoint (RFC 6749, 5.1; OIDC Core 3.1.3.3). */
export interface TokenSet {
  access_token: string
  token_type?: string
  expires_in?: number
  scope?: string
  id_token?: string
  refresh_token?: string
  issued_token_type?: string
}

/** The selected client, which also introspects and revokes tokens. */
export const labClient = signal<Client>(DEMO_CLIENT)
export const tokenSet = signal<TokenSet | null>(null)
/** The token in the field "Token". */
export const token = signal('')
/** Newest first. */
export const exchanges = signal<readonly SentExchange[]>([])

const MAX_EXCHANGES = 20

export function note(exchange: SentExchange): SentExchange {
  exchanges.value = [exchange, ...exchanges.peek()].slice(0, MAX_EXCHANGES)
  return exchange
}

/** Takes the tokens of a response. Throws the error of the provider (RFC 6749, 5.2). */
export function takeTokens({ status, body }: SentExchange): void {
  const response = body as Partial<TokenSet> & { error?: unknown; error_description?: unknown }
  if (status !== 200 || typeof response?.access_token !== 'string') {
    throw new Error(
      typeof response?.error === 'string'
        ? `${response.error}: ${String(response.error_description ?? `status ${status}`)}`
        : `The token endpoint returned status ${status} without a token.`,
    )
  }
  tokenSet.value = response as TokenSet
  token.value = response.access_token
}
