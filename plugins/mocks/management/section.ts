/** The section `mocks` of `svc.yaml`, and documents from the command line. */
import type { JsonSchema } from 'svc/plugin'
import { SETTINGS_SCHEMA } from '../definition/settings.ts'
import { GRAPH_SETTINGS_SCHEMA } from '../graph/settings.ts'
import { ANY_RULE_SCHEMA } from '../rules/rule-schema.ts'
import type { Json } from '../document/json.ts'

/** One entry of `mocks:` in `svc.yaml`, or of the command line. */
export type MockEntry = Json

/** The list in the file, with documents from the command line in `served`. */
export type MocksSection = MockEntry[] & { served?: { name: string; spec: string }[] }

const ENTRY: JsonSchema = {
  type: 'object',
  required: ['name', 'spec'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9-]{1,64}$', description: 'Served at /mock/<name>/' },
    spec: {
      type: ['string', 'object'],
      description: 'An OpenAPI 3 or Swagger 2.0 document, a schema of GraphQL, or its path relative to this file',
    },
    enabled: { type: 'boolean', default: true },
    settings: bothKinds(),
    overrides: {
      type: 'object',
      additionalProperties: { type: 'object' },
      description:
        'Overrides by operationId or "METHOD /path", in a schema of GraphQL by type, field or place in responses; "*" applies to all',
    },
    rules: {
      type: 'array',
      description: 'Rules in order; the first match is used',
      items: ANY_RULE_SCHEMA,
    },
  },
}

/** Settings of OpenAPI documents and of GraphQL schemas: an editor does not know which of them `spec` is. */
function bothKinds(): JsonSchema {
  const properties = { ...propertiesOf(GRAPH_SETTINGS_SCHEMA), ...propertiesOf(SETTINGS_SCHEMA) }
  return { ...SETTINGS_SCHEMA, properties }
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return schema.properties as Record<string, JsonSchema>
}

/**
 * The plugin validates the entries itself, so that an invalid entry is reported with its location and the others are
 * served. The schema only requires a list; `x-svc-editor` describes the entries for editors.
 */
export const MOCKS_SECTION: JsonSchema = {
  type: 'array',
  description: 'OpenAPI documents to mock',
  default: [],
  'x-svc-editor': { items: ENTRY },
}
