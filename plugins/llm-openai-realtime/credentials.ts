/** The key that browsers send as a subprotocol, because they cannot set headers of a WebSocket. */
import type { CredentialRule } from '../llm/types.ts'

const PREFIX = 'openai-insecure-api-key.'

export const credentials: readonly CredentialRule[] = [
  {
    source: 'subprotocol',
    header: 'Sec-WebSocket-Protocol',
    description: `The key after \`${PREFIX}\``,
    read(headers) {
      const given = [headers['sec-websocket-protocol']].flat().join(',')
      const named = given.split(',').find(protocol => protocol.trim().startsWith(PREFIX))
      const value = named?.trim().slice(PREFIX.length)
      return value ? { value } : undefined
    },
  },
]
