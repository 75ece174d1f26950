/** Paths of other servers for what plugins serve under different ones: named by a 404, or served in its place. */
import type { FamiliarPath, FamiliarRequest } from '../../contract/declarations.ts'
import { fillTemplate, readParameters, replaceParameters, templatePattern } from '../../toolkit/path-template.ts'

/** A familiar path whose requests are served. */
interface ServedPath {
  pattern: RegExp
  here: string
  when: FamiliarPath['when']
}

export class FamiliarPaths {
  readonly #named: readonly FamiliarPath[]
  /** By the first segment of their path. */
  readonly #served = new Map<string, ServedPath[]>()

  /** `isServed`: whether the option that a path names is on. */
  constructor(paths: readonly FamiliarPath[], isServed: (path: FamiliarPath) => boolean) {
    this.#named = paths
    // What only some requests mean comes before what all others do.
    const served = paths.filter(isServed)
    for (const familiar of [...served.filter(({ when }) => when), ...served.filter(({ when }) => !when)]) {
      const { path, here, when } = familiar
      const first = firstSegment(path)
      // A parameter matches something: `/v1/files/` is not a file.
      const pattern = new RegExp(`^${templatePattern(path, { parameter: '[^/]+', wildcard: '.+' })}$`, 's')
      this.#served.set(first, [...(this.#served.get(first) ?? []), { pattern, here, when }])
    }
  }

  /** The path here of what other servers have at this decoded path. */
  find(path: string): string | null {
    for (const { path: template, here } of this.#named) {
      const values = readParameters(template, path)
      if (values !== null) return fillTemplate(here, values)
    }
    return null
  }

  /** The path here of a request that is served in place of the 404; null if it is not. */
  served(request: FamiliarRequest, path: string): string | null {
    const found = this.#served.get(firstSegment(path))
    if (found === undefined) return null
    for (const { pattern, here, when } of found) {
      const values = pattern.exec(path)
      if (values === null) continue
      // The values keep their percent-encoding.
      if (when === undefined || when(request)) return replaceParameters(here, (_, index) => values[index + 1]!)
    }
    return null
  }
}

/** Of a path or a template. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return end === -1 ? path.slice(1) : path.slice(1, end)
}
