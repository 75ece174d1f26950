/** Facts about the build and the runtime in `/identity` and `/_svc/version`. */

/** Minimum version of Node, as in `package.json`. */
export const MIN_NODE_VERSION = '20.19.0'

export interface BuildFacts {
  node_version: string
  min_node_version: string
  profile: 'release' | 'debug'
}

/** Versions are without `v`. The profile is `release` if `NODE_ENV` is `production`. */
export function buildFacts(): BuildFacts {
  return {
    node_version: process.versions.node,
    min_node_version: MIN_NODE_VERSION,
    profile: process.env.NODE_ENV === 'production' ? 'release' : 'debug',
  }
}
