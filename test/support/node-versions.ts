/** Binaries of the supported Node versions, from development packages. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/** Package names by version. */
export const NODE_PACKAGES = { '20.19': 'node-20', '22': 'node', '24': 'node-24' } as const
export type NodeVersion = keyof typeof NODE_PACKAGES

/** Path of the binary; null if its package is not installed or does not support this system. */
export function nodeBinary(version: NodeVersion): string | null {
  const paths = require.resolve.paths('node') ?? []
  const binary = paths.map(path => join(path, NODE_PACKAGES[version], 'bin', 'node')).find(path => existsSync(path))
  return binary === undefined ? null : binary
}
