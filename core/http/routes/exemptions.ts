/** The paths of plugins that are exempt from layers of the pipeline, as used by a generation. */
import type { Exemption, ExemptibleLayer } from '../../contract/plugin.ts'
import { EXEMPTIBLE_LAYERS } from '../../contract/declarations.ts'
import { templatePattern } from '../../toolkit/path-template.ts'
import { isBelow } from '../../fields/request-target.ts'

export class Exemptions {
  readonly #paths = new Map<ExemptibleLayer, { exact: Set<string>; prefixes: string[]; templates: RegExp[] }>()

  constructor(declared: readonly Exemption[]) {
    for (const layer of EXEMPTIBLE_LAYERS) {
      const ofLayer = declared.filter(({ from }) => from.includes(layer))
      this.#paths.set(layer, {
        exact: new Set(ofLayer.map(({ path }) => path)),
        prefixes: ofLayer.filter(({ below }) => below === true).map(({ path }) => path),
        templates: ofLayer
          .filter(({ path }) => path.includes('{'))
          .map(({ path }) => new RegExp(`^${templatePattern(path, { parameter: '[^/]+' })}$`)),
      })
    }
  }

  /** Whether a decoded path is exempt from the layer; a malformed path (null) never is. */
  has(layer: ExemptibleLayer, path: string | null): boolean {
    if (path === null) return false
    const { exact, prefixes, templates } = this.#paths.get(layer)!
    if (exact.has(path)) return true
    for (const prefix of prefixes) if (isBelow(path, prefix)) return true
    return templates.some(template => template.test(path))
  }
}
