/** The environment variables of the plugin. */
import { isIP } from 'node:net'
import { boolean, variable } from 'svc/plugin'
import { splitList, usableEntries } from 'svc/toolkit'
import type { Config, Parser, VariableValues } from 'svc/plugin'

/** Push targets: `host` (any port) or `host:port`, without wildcards, scheme or path. */
const pushTargets: Parser<string[]> = {
  expected: 'comma-separated hosts, each with or without :port',
  parse: value =>
    usableEntries(
      splitList(value).map(entry => entry.toLowerCase()),
      isHostWithPort,
      'is not a host or host:port and matches nothing',
    ),
}

function isHostWithPort(entry: string): boolean {
  const match = /^(?:\[([0-9a-f:.]+)\]|[^\s/?#@\\:*[\]]+)(?::([0-9]{1,5}))?$/.exec(entry)
  if (match === null || (match[1] !== undefined && isIP(match[1]) !== 6)) return false
  return match[2] === undefined || (Number(match[2]) >= 1 && Number(match[2]) <= 65535)
}

export const variables = {
  /** `host` or `host:port`, lower case, IPv6 in brackets. */
  pushAllowlist: variable({
    name: 'SVC_A2A_PUSH_ALLOWLIST',
    parser: pushTargets,
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
