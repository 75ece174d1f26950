/** The section `a2a` of `svc.yaml`. */
import type { HttpListenerEntry, JsonSchema } from 'svc/plugin'
import { HOST_SCHEMA, HTTP_LISTENER_PROPERTIES } from 'svc/toolkit'
import { CARD_VARIANTS, type CardVariant } from './cards/variants.ts'

export interface Options {
  /** The variant of the plain card routes. Unset: the card that clients of both versions understand. */
  card?: CardVariant
  /** Default: `DEFAULT_TENANTS`, which the schema leaves out so that no section needs no validation. */
  tenants?: string[]
  /** Hosts that an agent has for itself. */
  hosts?: { host: string; agent: string }[]
  /** Ports that an agent has for itself. */
  listeners?: (HttpListenerEntry & { agent: string })[]
}

const MAX_TENANTS = 20
export const DEFAULT_TENANTS: readonly string[] = ['acme', 'globex']

export const options: JsonSchema = {
  type: 'object',
  description: 'The A2A agents: agent cards and tenants.',
  properties: {
    card: {
      enum: [...CARD_VARIANTS],
      description: 'The variant of the 1.0 card that the well-known card routes return, for example signed.',
    },
    listeners: {
      type: 'array',
      description: 'Ports whose requests are all answered by an agent.',
      maxItems: 64,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['port', 'agent'],
        properties: {
          ...HTTP_LISTENER_PROPERTIES,
          agent: { type: 'string', description: 'Id of an agent, such as weather' },
        },
      },
    },
    hosts: {
      type: 'array',
      description: 'Hosts whose requests are all answered by an agent.',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['host', 'agent'],
        properties: { host: HOST_SCHEMA, agent: { type: 'string', description: 'Id of an agent, such as weather' } },
      },
    },
    tenants: {
      type: 'array',
      description: `Tenants whose tasks are kept apart. Default: ${DEFAULT_TENANTS.join(' and ')}.`,
      maxItems: MAX_TENANTS,
      uniqueItems: true,
      items: { type: 'string', pattern: '^(?!(?:tasks|card)$)[a-z][a-z0-9-]{0,39}$' },
    },
  },
}
