/** Loads plugins in the executable, where nothing compiles or bundles them. */
import { join } from 'node:path'
import { isRecord } from '../contract/record.ts'
import type { FoundPlugin } from './discovery.ts'
import type { createNodeLoader } from './node-loader.mjs'
import { prebuilt } from './packed.ts'
import { ownModule, packageOfHost, requireFile, withinTime } from './plugin-packages.ts'

const NEEDS_COMPILER = 'TypeScript plugins need the npm package or the image'

let load: ReturnType<typeof createNodeLoader> | undefined

/** Returns what the plugin's module exports, as `require` does. The code may run for `maxRunMs`, unless it never pauses. */
export async function importPlugin({ entry, name }: FoundPlugin, maxRunMs: number): Promise<{ default?: unknown }> {
  load ??= (
    requireFile(join(prebuilt!.folder, 'node-loader.mjs')) as typeof import('./node-loader.mjs')
  ).createNodeLoader({
    own: ownModule,
    missing: packageOfHost,
    refuse: file => {
      throw new Error(`${NEEDS_COMPILER} (${file})`)
    },
  })
  if (entry!.endsWith('.ts')) throw new Error(NEEDS_COMPILER)
  const module: { default?: unknown } = await withinTime(load(entry!), maxRunMs, `the plugin ${name}`)
  const { default: exported } = module
  // A CommonJS module that was compiled from an ES module.
  return isRecord(exported) && '__esModule' in exported ? exported : module
}
