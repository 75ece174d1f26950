/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, nullable, object, RECORD, TEXT, textReply } from 'svc/toolkit'

/** Members of both kinds, then those of OpenAPI documents, then those of GraphQL schemas. */
const SETTINGS = object(
  { delay_ms: INTEGER, seed: TEXT, capture: BOOLEAN, block_breaking: BOOLEAN },
  {
    validation: TEXT,
    security: TEXT,
    prefer: BOOLEAN,
    dynamic: BOOLEAN,
    echo: TEXT,
    base_path: TEXT,
    callbacks: BOOLEAN,
    credentials: RECORD,
    list_size: INTEGER,
    null_percent: INTEGER,
    introspection: BOOLEAN,
    stateful: TEXT,
    subscription: object({ count: INTEGER, interval_ms: INTEGER }),
    batching: INTEGER,
    csrf: BOOLEAN,
    depth: INTEGER,
    complexity: INTEGER,
  },
)

/** A mock in a list, and on its own. */
const MOCK_FACTS = {
  name: TEXT,
  kind: TEXT,
  title: TEXT,
  api_version: TEXT,
  source: TEXT,
  file: ANY,
  managed: BOOLEAN,
  enabled: BOOLEAN,
  version: INTEGER,
  revision: INTEGER,
  modified: BOOLEAN,
  has_draft: BOOLEAN,
  operations: INTEGER,
  requests: INTEGER,
  url: TEXT,
  deployed_at: TEXT,
}
/** Of OpenAPI documents, and whether a schema of GraphQL is a subgraph. */
const OF_KIND = { openapi: TEXT, base_paths: list(TEXT), validation: TEXT, security: TEXT, federated: BOOLEAN }

const VERSION_FACTS = {
  version: INTEGER,
  deployed_at: TEXT,
  message: ANY,
  title: TEXT,
  api_version: TEXT,
  operations: INTEGER,
  sha256: TEXT,
  rolled_back_from: ANY,
}

export const SVC_MOCKS = jsonReply(
  object({
    count: INTEGER,
    limit: INTEGER,
    enabled: INTEGER,
    dir: ANY,
    config_file: ANY,
    load_errors: list(),
    mocks: list(object({ ...MOCK_FACTS, rules: INTEGER, overrides: INTEGER }, OF_KIND)),
  }),
  'Mocks',
)

export const SVC_MOCKS_RELOAD_POST = jsonReply(
  object({
    reloaded: BOOLEAN,
    added: list(),
    updated: list(),
    removed: list(),
    unchanged: list(TEXT),
    load_errors: list(),
    generation: INTEGER,
    took_ms: INTEGER,
  }),
  'MocksReloadPost',
)

export const SVC_MOCKS_CHECK_POST = jsonReply(
  object(
    { deployable: BOOLEAN, errors: list(RECORD), warnings: list(RECORD) },
    { against: nullable(INTEGER), summary: ANY, changes: ANY },
  ),
  'MocksCheck',
)

export const SVC_MOCK = jsonReply(
  object(
    { ...MOCK_FACTS, rules: list(), overrides: RECORD, settings: SETTINGS, summary: TEXT, warnings: list() },
    OF_KIND,
  ),
  'Mock',
)

export const SVC_MOCKS_SPEC = { ...jsonReply(RECORD), ...textReply('application/yaml') }

export const SVC_MOCKS_OPERATIONS = jsonReply(
  object({
    count: INTEGER,
    operations: list(
      object(
        { key: TEXT, override: ANY, rules: INTEGER, requests: INTEGER },
        {
          operation_id: TEXT,
          method: TEXT,
          path: TEXT,
          url: TEXT,
          summary: TEXT,
          statuses: list(TEXT),
          media_types: list(TEXT),
          examples: object(
            {},
            {
              '200': list(TEXT),
              '201': list(),
              '204': list(),
              '400': list(),
              '401': list(),
              '403': list(),
              '404': list(),
            },
          ),
          security: list(
            object({}, { oauth: list(TEXT), bearer: list(), apiKey: list(), mtls: list(), basic: list() }),
          ),
          kind: TEXT,
          type: TEXT,
          arguments: list(object({ name: TEXT, type: TEXT })),
        },
      ),
    ),
  }),
  'MocksOperations',
)

export const SVC_MOCKS_VERSIONS = jsonReply(
  object({
    count: INTEGER,
    current: INTEGER,
    versions: list(object(VERSION_FACTS)),
  }),
  'MocksVersions',
)

export const SVC_MOCKS_VERSION = jsonReply(
  object({
    ...VERSION_FACTS,
    spec: TEXT,
    settings: SETTINGS,
    rules: list(),
    overrides: RECORD,
  }),
  'MocksVersion',
)

export const SVC_MOCKS_SETTINGS = jsonReply(SETTINGS, 'MocksSettings')

export const SVC_MOCKS_OVERRIDES = jsonReply(object({ overrides: RECORD }), 'MocksOverrides')

export const SVC_MOCKS_OVERRIDE = jsonReply(object({ operation: TEXT, override: ANY }), 'MocksOverride')

export const SVC_MOCKS_RULES = jsonReply(object({ count: INTEGER, rules: list() }), 'MocksRules')

export const SVC_MOCKS_STATE = jsonReply(object({ session: TEXT, state: RECORD, counts: RECORD }), 'MocksState')

export const SVC_MOCKS_STATE_DELETE = jsonReply(object({ cleared: TEXT }), 'MocksStateDelete')

export const SVC_MOCKS_REQUESTS = jsonReply(
  object({ count: INTEGER, capacity: INTEGER, requests: list() }),
  'MocksRequests',
)

export const SVC_MOCKS_REQUESTS_DELETE = jsonReply(object({ cleared: INTEGER }), 'MocksRequestsDelete')

/** Documents decide what a mock answers. */
export const MOCK = textReply('*/*')

export const DRAFT = jsonReply(RECORD)

export const RULE = jsonReply(RECORD)

export const DELETED = jsonReply(RECORD)

export const CAPTURED = jsonReply(RECORD)
