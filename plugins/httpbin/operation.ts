/** Operations of httpbin and go-httpbin, and where they are mounted. */
import type { RouteDescription } from 'svc/plugin'
import type { Call } from './call.ts'

/** The server whose responses are reproduced. */
export type Original = 'httpbin' | 'go-httpbin'

/** A place where the operations of an original are served. */
export interface Mount {
  original: Original
  /** Prefix of the routes. */
  path: string
  /** Prefix in `Location`, links and forms: as clients see it. */
  prefix: string
}

/** Methods of an operation. `any`: all methods. Null: the original does not have the path. */
export type Methods = readonly string[] | 'any' | null

/** An example without the prefix of the mount. */
export interface OperationExample {
  name: string
  path: string
  method?: string
  body?: string
  headers?: { name: string; value: string }[]
  auth?: { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string }
  /** Default: 200. */
  status?: number | null
}

/** A path with its responses in both originals. */
export interface Operation
  extends Pick<RouteDescription, 'summary' | 'description' | 'parameters' | 'protocol' | 'takes' | 'reply'> {
  /** Template without the prefix, such as `/status/{codes}`. */
  path: string
  /** Default: GET in httpbin, any method in go-httpbin. */
  methods?: Partial<Record<Original, Methods>>
  /** Whether the path is also served at the root: nothing else has it there. */
  atRoot?: boolean
  examples: OperationExample[]
  /** Sends the response, or throws a `Failure`. */
  handle(call: Call): unknown
}

export function methodsOf({ methods }: Operation, original: Original): Methods {
  const chosen = methods?.[original]
  return chosen === undefined ? (original === 'httpbin' ? ['GET'] : 'any') : chosen
}
