/** Owns the facts about the program and its runtime that `/identity` and `/_svc/version` show. */

/** The oldest Node that the service runs on, as `package.json` requires it. */
export const MIN_NODE_VERSION = '20.19.0'

export interface BuildFacts {
  node_version: string
  min_node_version: string
  profile: 'release' | 'debug'
}

/** Runtime version without `v`, least version, and the profile: `release` when `NODE_ENV` is `production`. */
export function buildFacts(): BuildFacts {
  return {
    node_version: process.versions.node,
    min_node_version: MIN_NODE_VERSION,
    profile: process.env.NODE_ENV === 'production' ? 'release' : 'debug',
  }
}
