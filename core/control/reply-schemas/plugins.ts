/** Schemas of the replies about plugins and the catalog, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, nullable, object, RECORD, TEXT } from '../../toolkit/reply-schemas.ts'

export const SVC_CATALOG = jsonReply(
  object({
    base_url: TEXT,
    version: TEXT,
    count: INTEGER,
    categories: list(object({ name: TEXT, count: INTEGER })),
    endpoints: list(
      object({
        path: TEXT,
        methods: list(TEXT),
        expanded_methods: list(TEXT),
        category: TEXT,
        summary: TEXT,
        description: TEXT,
        protocol: TEXT,
        endless: BOOLEAN,
        plugin: nullable(TEXT),
        examples: list(
          object({
            name: TEXT,
            method: TEXT,
            path: TEXT,
            headers: list(RECORD),
            body: nullable(TEXT),
            body_type: nullable(TEXT),
            auth: nullable(RECORD),
            expect_status: nullable(INTEGER),
          }),
        ),
      }),
    ),
  }),
  'Catalog',
)

export const SVC_PLUGINS = jsonReply(
  object({
    generation: INTEGER,
    loaded_at: TEXT,
    building: ANY,
    config_file: ANY,
    directories: list(),
    counts: object({ enabled: INTEGER, disabled: INTEGER, failed: INTEGER }),
    load_errors: list(),
    plugins: list(
      object({
        name: TEXT,
        title: TEXT,
        version: TEXT,
        description: TEXT,
        source: TEXT,
        path: ANY,
        state: TEXT,
        disabled_by: ANY,
        routes: INTEGER,
        paths: list(TEXT),
        error: ANY,
        stale: BOOLEAN,
        generation: INTEGER,
        faults: RECORD,
        builds_on: list(TEXT),
        uses: list(TEXT),
        options: ANY,
      }),
    ),
  }),
  'Plugins',
)

export const SVC_PLUGIN = jsonReply(
  object(
    { name: TEXT, title: TEXT, state: TEXT },
    { version: TEXT, routes: INTEGER, routes_list: list(RECORD), error: ANY },
  ),
  'Plugin',
)

export const SVC_RELOAD = jsonReply(RECORD, 'Reload')
