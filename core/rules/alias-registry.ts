/** Headers of other projects that say what `X-Svc-Expect` and `X-Svc-Answer` say (`testing.aliases`). */
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestAlias, RequestAliases } from '../contract/aliases.ts'

/** Those of one generation. */
export class AliasRegistry implements RequestAliases {
  readonly #aliases: RequestAlias[] = []

  add(alias: RequestAlias): void {
    this.#aliases.push(alias)
  }

  /** The first one that reads a field of the request; null without one. */
  find(headers: IncomingHttpHeaders): RequestAlias | null {
    // Most instances have none.
    for (const alias of this.#aliases) if (alias.fields.some(field => headers[field] !== undefined)) return alias
    return null
  }
}
