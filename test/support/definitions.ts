/** The definitions of the built-in plugins, as the host loads them. */
import { pluginsIn } from '../../core/host/discovery.ts'
import { loadPlugin } from '../../core/host/module-loader.ts'
import { BUILTIN_FOLDER } from '../../core/product.ts'
import type { Plugin } from '../../core/contract/plugin.ts'

export async function builtinDefinitions(): Promise<Map<string, Plugin>> {
  const found = await pluginsIn(BUILTIN_FOLDER, 'builtin')
  return new Map(await Promise.all(found.map(async plugin => [plugin.name, await loadPlugin(plugin)] as const)))
}
