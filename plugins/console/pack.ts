/** Runs when the npm package is built: writes the client to files, which `build.packed.ts` reads. */
import { build } from 'esbuild'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildClient, type Client } from './build.ts'

/** `client.json`: the client, with media types by file name. */
export interface PackedClient extends Omit<Client, 'assets'> {
  files: Record<string, string>
}

/** Writes the client to the folder `out`. Returns the absolute paths of all source files. */
export async function pack(folder: string, out: string): Promise<string[]> {
  const { assets, inputs, ...names } = await buildClient(folder, { build })
  const packed: PackedClient = {
    ...names,
    files: Object.fromEntries([...assets].map(([name, { type }]) => [name, type])),
  }
  for (const [name, asset] of assets) await writeFile(join(out, name), await asset.bytes('identity'))
  await writeFile(join(out, 'client.json'), JSON.stringify(packed))
  return inputs.map(file => join(folder, 'client', file))
}
