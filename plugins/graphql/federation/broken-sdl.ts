/** SDLs that do not compose, for gateways that start or reload. */
import type { SdlKind } from '../faults/plan.ts'

/** The SDL with a mistake; null: none at all. The subgraphs of svc have the field `release` that two kinds change. */
export function brokenSdl(sdl: string, kind: SdlKind): string | null {
  switch (kind) {
    case 'syntax':
      return `${sdl}\ntype Broken {`
    case 'unknown-directive':
      return `${sdl}\ntype Broken @notDefinedAnywhere { id: ID! }\n`
    case 'key-field':
      return `${sdl}\ntype Broken @key(fields: "notThere") { id: ID! }\n`
    case 'not-shareable':
      return sdl.replace('release: String! @shareable', 'release: String!')
    case 'field-type':
      return sdl.replace('release: String! @shareable', 'release: Int! @shareable')
    case 'link':
      return sdl.replace(/federation\/v2\.\d+/, 'federation/v9.9')
    case 'empty':
      return ''
    case 'null':
      return null
  }
}
