/** Schemas of the replies about rules and scenarios, for the OpenAPI document. */
import {
  ANY,
  BOOLEAN,
  INTEGER,
  NUMBER,
  jsonReply,
  list,
  nullable,
  object,
  RECORD,
  TEXT,
  typed,
} from '../../toolkit/reply-schemas.ts'

const STORED_RULE = typed(
  'StoredRule',
  object(
    { name: TEXT, match: RECORD, then: ANY, priority: INTEGER, hits: INTEGER, enabled: BOOLEAN, scope: TEXT },
    {
      skip: INTEGER,
      every: INTEGER,
      sample: NUMBER,
      seed: nullable(TEXT),
      times: nullable(INTEGER),
      loop: BOOLEAN,
      count: TEXT,
      description: TEXT,
      session: nullable(TEXT),
      source: TEXT,
      file: nullable(TEXT),
      line: nullable(INTEGER),
      matches: INTEGER,
      step: nullable(INTEGER),
      state: TEXT,
      last_hit_at: nullable(TEXT),
      created_at: nullable(TEXT),
      expires_at: nullable(TEXT),
    },
  ),
)

export const SVC_RULES = jsonReply(
  object({
    count: INTEGER,
    session: nullable(TEXT),
    limits: object({
      instance_rules: INTEGER,
      session_rules: INTEGER,
      rule_bytes: INTEGER,
      steps: INTEGER,
      tests: INTEGER,
    }),
    rules: list(STORED_RULE),
  }),
  'Rules',
)

export const SVC_RULES_POST = jsonReply(object({ count: INTEGER, rules: list(STORED_RULE) }), 'RulesPost')

export const SVC_RULES_DELETE = jsonReply(object({ removed: INTEGER }), 'RulesDelete')

export const SVC_SCENARIOS = jsonReply(object({ count: INTEGER, scenarios: list() }), 'Scenarios')

export const SVC_SCENARIOS_PUT = jsonReply(
  object({ name: TEXT, state: TEXT, scope: TEXT, session: nullable(TEXT) }),
  'ScenariosPut',
)

export const RULE = jsonReply(STORED_RULE)
