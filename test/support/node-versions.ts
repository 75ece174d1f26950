/** Binaries of the supported Node versions, from development packages. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where the packages are installed: `test/sdk/package.json` lists them. */
const MODULES = join(import.meta.dirname, '..', 'sdk', 'node_modules')

/** Package names by version. */
export const NODE_PACKAGES = { '20.19': 'node-20', '22': 'node', '24': 'node-24' } as const
export type NodeVersion = keyof typeof NODE_PACKAGES

/** Path of the binary; null if its package is not installed or does not support this system. */
export function nodeBinary(version: NodeVersion): string | null {
  const binary = join(MODULES, NODE_PACKAGES[version], 'bin', 'node')
  return existsSync(binary) ? binary : null
}
