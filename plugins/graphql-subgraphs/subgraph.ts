/** What a subgraph is made of. */
import type { SubgraphContext } from './seen.ts'

export type SetName = 'core' | 'full' | 'newest'

export interface Subgraph {
  name: string
  /** The sets that contain it. */
  sets: readonly SetName[]
  /** The version of federation that its SDL links. */
  federation: string
  sdl: string
  /** Functions by root field: arguments, context. */
  root: object
  /** The entity of a representation; null if there is none. */
  resolve(typename: string, representation: Representation, context: SubgraphContext): object | null
  /** Whether it takes files. */
  uploads?: boolean
  /** A query that shows something. */
  example: string
}

export type Representation = Readonly<Record<string, unknown>>

/** The sets, from the smallest. Each has what the one before it has. */
export const SET_NAMES: readonly SetName[] = ['core', 'full', 'newest']
export const CORE_SETS: readonly SetName[] = SET_NAMES
export const FULL_SETS: readonly SetName[] = ['full', 'newest']
export const NEWEST_SETS: readonly SetName[] = ['newest']
export const RELEASE = 'svc-demo-1'
