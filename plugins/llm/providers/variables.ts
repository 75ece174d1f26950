/** The environment variables of the plugin. */
import { boolean, oneOf, text, variable, type VariableValues } from 'svc/plugin'
import { LEVELS, type Level } from '../validation/level.ts'

export const variables = {
  requireAuth: variable({
    name: 'SVC_AI_REQUIRE_AUTH',
    parser: boolean,
    default: false,
    shownAs: 'ai.require_auth',
    description: 'Reject mock LLM requests without a credential.',
  }),
  apiKey: variable({
    name: 'SVC_AI_API_KEY',
    parser: text,
    default: null,
    shownAs: 'ai.api_key_configured',
    secret: true,
    description: 'The only credential that the mock LLM accepts; implies `SVC_AI_REQUIRE_AUTH`.',
  }),
  validation: variable<Level>({
    name: 'SVC_AI_VALIDATION',
    parser: oneOf(LEVELS),
    default: 'warn',
    shownAs: 'ai.validation',
    description: 'What happens to requests that the vendor of a mock LLM would refuse: `off`, `warn` or `enforce`.',
  }),
  directives: variable({
    name: 'SVC_AI_DIRECTIVES',
    parser: boolean,
    default: true,
    shownAs: 'ai.directives',
    description: 'Whether a line `[svc …]` of a prompt says how it is answered.',
  }),
}

export type Variables = VariableValues<typeof variables>

/** A configured key makes a credential mandatory. */
export function resolveVariables(values: Variables): string[] {
  values.requireAuth ||= values.apiKey !== null
  return []
}
