/** The section `mocks` of `svc.yaml`, and what the command line adds to it. */
import type { JsonSchema } from 'svc/plugin'
import { SETTINGS_SCHEMA } from '../management/settings.ts'
import type { MockEntry } from './sources.ts'

/** The list in the file; a document that the command line serves comes as a member of it. */
export type MocksSection = MockEntry[] & { served?: { name: string; spec: string }[] }

const ENTRY: JsonSchema = {
  type: 'object',
  required: ['name', 'spec'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9-]{1,64}$', description: 'Served at /mock/<name>/' },
    spec: {
      type: ['string', 'object'],
      description: 'Path of an OpenAPI 3.0 or 3.1 document, from this file, or the document itself',
    },
    enabled: { type: 'boolean', default: true },
    settings: SETTINGS_SCHEMA,
    overrides: {
      type: 'object',
      additionalProperties: { type: 'object' },
      description: 'By operationId or "METHOD /path"; "*" is all',
    },
    rules: {
      type: 'array',
      description: 'In order; the first whose conditions hold decides',
      items: {
        type: 'object',
        required: ['then'],
        additionalProperties: false,
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          enabled: { type: 'boolean', default: true },
          operation: { type: 'string', description: 'operationId or "METHOD /path"; absent: all' },
          bypass: { type: 'boolean', default: false, description: 'Before security and validation' },
          match: { enum: ['all', 'any'], default: 'all' },
          when: { type: 'array', items: { type: 'object' } },
          // oxlint-disable-next-line unicorn/no-thenable -- the name of the outcome in a rule
          then: { type: 'object' },
        },
      },
    },
  },
}

/**
 * Entries are checked by the plugin itself, so that one with a mistake is named by its place and the others are served:
 * the schema refuses nothing but another type than a list, and says to editors alone what entries look like.
 */
export const MOCKS_SECTION: JsonSchema = {
  type: 'array',
  description: 'OpenAPI documents to mock',
  default: [],
  'x-svc-editor': { items: ENTRY },
}
