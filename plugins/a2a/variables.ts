/** The environment variables of the plugin. */
import { boolean, variable, type Config, type VariableValues } from 'svc/plugin'
import { hosts } from 'svc/toolkit'

export const variables = {
  /** `host` or `host:port`, lower case, IPv6 in brackets. */
  pushAllowlist: variable({
    name: 'SVC_A2A_PUSH_ALLOWLIST',
    parser: hosts,
    default: [],
    defaultText: 'none',
    shownAs: 'a2a.push_allowlist',
    after: 'SVC_MCP_ALLOWED_ORIGINS',
    description: 'Hosts that push notifications may be sent to.',
  }),
  /** Never true in public mode. */
  pushAllowAll: variable({
    name: 'SVC_A2A_PUSH_ALLOW_ALL',
    parser: boolean,
    default: false,
    shownAs: 'a2a.push_allow_all',
    description: 'Allow push notifications to any http(s) URL; has no effect in public mode.',
  }),
}

export type Variables = VariableValues<typeof variables>

/** Public mode does not allow arbitrary targets. */
export function resolveVariables(values: Variables, { publicMode }: Config): string[] {
  const isOverruled = publicMode && values.pushAllowAll
  values.pushAllowAll &&= !publicMode
  return isOverruled ? ['SVC_A2A_PUSH_ALLOW_ALL has no effect in public mode'] : []
}
