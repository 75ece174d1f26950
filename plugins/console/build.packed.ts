/** Replaces `build.ts` in the npm package: reads the client that `pack.ts` has written. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeAsset } from './asset.ts'
import type { Client } from './build.ts'
import type { PackedClient } from './pack.ts'

/** Reads the client. `folder` is the folder of the plugin. */
export async function buildClient(folder: string): Promise<Client> {
  const packed = join(folder, '..', '..', 'dist', 'assets', 'console')
  const { files, ...names } = JSON.parse(await readFile(join(packed, 'client.json'), 'utf8')) as PackedClient
  const assets = await Promise.all(
    Object.entries(files).map(
      async ([name, type]) => [name, makeAsset(type, await readFile(join(packed, name)))] as const,
    ),
  )
  return { ...names, assets: new Map(assets) }
}
